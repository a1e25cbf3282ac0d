import { databaseHealth, type HealthClient, workHealth } from '@gatehouse/kit/rpc/health-client'
import { shared } from '@gatehouse/kit/shared'

/**
 * The state of a service. `unavailable` means that it did not answer, is starting or stopping, or gets no calls because its circuit is
 * open; `unable`, that it answers and could not do its work for another reason than the database. Neither says anything about the database.
 */
export const serviceStates = ['available', 'database_unavailable', 'unable', 'unavailable'] as const
export type ServiceState = (typeof serviceStates)[number]

/** The state of the system as the gateway sees it. */
export type SystemState = {
  /** By name. */
  services: Readonly<Record<string, ServiceState>>
  /** Whether the database answers: at least one service says yes and none says no. */
  database: boolean
}

/** The needs of createSystemWatch. */
export type SystemStateDeps = {
  /** All services, by name. */
  services: Readonly<Record<string, HealthClient>>
  /** Whether requests get no answer of a service at the moment because it failed too often; absent if that cannot be. */
  isCutOff?: ((service: string) => boolean) | undefined
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** Whether a service cannot work without its database. Events has a database only when eventing is on. */
export function needsDatabase(service: string): boolean {
  return service !== 'events'
}

/** Whether every service is available. */
export function isReady({ services }: SystemState): boolean {
  return Object.values(services).every((state) => state === 'available')
}

/** In milliseconds. */
const readinessTimeout = 1_000

/** Looks at the system and keeps what it saw. */
export type SystemWatch = {
  /** The last state seen; never waits. */
  last(): SystemState
  /** Looks now; answers within a second. Concurrent calls share one look. */
  look(): Promise<SystemState>
}

/** @returns a watch that has seen nothing yet: every service counts as unavailable */
export function createSystemWatch({ services, isCutOff, now }: SystemStateDeps): SystemWatch {
  const names = Object.keys(services)
  let last: SystemState = {
    services: Object.fromEntries(names.map((name) => [name, 'unavailable'])),
    database: false,
  }

  async function look(): Promise<SystemState> {
    const deadline = now() + readinessTimeout
    const seen = await Promise.all(
      Object.entries(services).map(async ([name, client]) => {
        const [serving, works, database] = await Promise.all([
          client.isServing('', deadline),
          client.isServing(workHealth, deadline),
          needsDatabase(name) ? client.isServing(databaseHealth, deadline) : undefined,
        ])
        const reached = serving && !isCutOff?.(name)
        return { name, database, state: stateOf(name, { reached, works, database }) }
      }),
    )
    const databases = seen.map(({ database }) => database)
    last = {
      services: Object.fromEntries(seen.map(({ name, state }) => [name, state])),
      database: databases.includes(true) && !databases.includes(false),
    }
    return last
  }

  return {
    last: () => last,
    look: shared(look),
  }
}

function stateOf(
  name: string,
  { reached, works, database }: Record<'reached' | 'works' | 'database', boolean | undefined>,
): ServiceState {
  if (!reached || works === undefined || (needsDatabase(name) && database === undefined)) return 'unavailable'
  if (database === false) return 'database_unavailable'
  return works ? 'available' : 'unable'
}
