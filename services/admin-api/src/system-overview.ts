import { instance } from '@gatehouse/kit/release'
import type { AdminDeps, Replica } from './deps.ts'

/** How the system is, process by process. */
export type SystemOverview = {
  /** The release of this gateway. */
  version: string
  /** Whether every service that keeps state reaches the database. */
  database: boolean
  services: ServiceOverview[]
}

/** How a service is. */
export type ServiceOverview = { service: string; healthy: boolean; replicas: Replica[] }

/** Looks at every process. Other gateways are not found from here: nothing calls them by a name. */
export async function systemOverview({
  system,
  replicas,
  version,
}: Pick<AdminDeps, 'system' | 'replicas' | 'version'>): Promise<SystemOverview> {
  const [found, { database }] = await Promise.all([replicas(), system.look()])
  const gateway: Replica = {
    service: 'gateway',
    instance,
    address: '',
    version,
    healthy: true,
    database: undefined,
    answeredInMs: undefined,
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
