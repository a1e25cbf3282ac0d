import { instance } from '@gatehouse/kit/release'
import type { AdminDeps, Replica } from './deps.ts'

/** The state of the system, process by process. */
export type SystemOverview = {
  /** The release of this gateway. */
  version: string
  /** Whether every service that needs the database reaches it. */
  database: boolean
  services: ServiceOverview[]
}

/** The state of a service. */
export type ServiceOverview = { service: string; healthy: boolean; replicas: Replica[] }

/** Looks at every process except other gateways: no process calls gateways, so their addresses are unknown here. */
export async function systemOverview({
  system,
  replicas,
  version,
}: Pick<AdminDeps, 'system' | 'replicas' | 'version'>): Promise<SystemOverview> {
  const [found, { database }] = await Promise.all([replicas(), system.look()])
  const gateway: Replica = {
    service: 'gateway',
    instance,
    address: undefined,
    version,
    healthy: true,
    database: undefined,
    answeredInMs: undefined,
    generations: [],
    gateways: [],
  }
  const services = Map.groupBy([gateway, ...found], ({ service }) => service)
  return {
    version,
    database,
    services: [...services].map(([service, replicas]) => ({
      service,
      healthy: replicas.every(({ healthy, database }) => healthy && database !== false),
      replicas,
    })),
  }
}
