import { databaseHealth, type HealthClient } from '@gatehouse/kit/health-client'
import { shared } from '@gatehouse/kit/shared'

/**
 * What a service says of itself. `unavailable`: it gave no answer, or is starting or ending; of the database that says
 * nothing.
 */
export const serviceStates = ['available', 'database_unavailable', 'unavailable'] as const
export type ServiceState = (typeof serviceStates)[number]

/** How the system is, as far as the gateway can tell. */
export type SystemState = {
  /** By name. */
  services: Readonly<Record<string, ServiceState>>
  /** Whether the database answers: at least one service says so, and none says the contrary. */
  database: boolean
}

/** What looking at the system needs. */
export type SystemStateDeps = {
  /** All services, by name. */
  services: Readonly<Record<string, HealthClient>>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** Whether a service cannot do without its database: events has one only where eventing is on. */
export function needsDatabase(service: string): boolean {
  return service !== 'events'
}

/** Whether every service is available. */
export function isReady({ services }: SystemState): boolean {
  return Object.values(services).every((state) => state === 'available')
}

/** In milliseconds. */
const readinessTimeout = 1_000

/** Looks at the system now and then, and keeps what it saw. */
export type SystemWatch = {
  /** What was seen last; never waits. */
  last(): SystemState
  /** Looks now; answers within a second. Those who ask at the same moment share one look. */
  look(): Promise<SystemState>
}

/** @returns a watch that has seen nothing yet: every service counts as unavailable */
export function createSystemWatch({ services, now }: SystemStateDeps): SystemWatch {
  const names = Object.keys(services)
  let last: SystemState = {
    services: Object.fromEntries(names.map((name) => [name, 'unavailable'])),
    database: false,
  }

  async function look(): Promise<SystemState> {
    const deadline = now() + readinessTimeout
    const seen = await Promise.all(
      Object.entries(services).map(async ([name, client]) => {
        const [serving, database] = await Promise.all([
          client.isServing('', deadline),
          needsDatabase(name) ? client.isServing(databaseHealth, deadline) : undefined,
        ])
        return { name, database, state: stateOf(name, serving, database) }
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

function stateOf(name: string, serving: boolean | undefined, database: boolean | undefined): ServiceState {
  if (!serving || (needsDatabase(name) && database === undefined)) return 'unavailable'
  return database === false ? 'database_unavailable' : 'available'
}
