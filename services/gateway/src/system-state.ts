import { databaseHealth, type HealthClient } from '@gatehouse/kit/health-client'
import { shared } from '@gatehouse/kit/shared'

/** How the system is, as far as the gateway can tell. */
export type SystemState = {
  /** Whether every service answers. */
  services: boolean
  /** Whether every service that keeps state reaches its database. */
  database: boolean
}

/** What looking at the system needs. */
export type SystemStateDeps = {
  /** All services. */
  services: readonly HealthClient[]
  /** Those of them that keep state. */
  stateful: readonly HealthClient[]
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** Whether a service cannot do without its database: events has one only where eventing is on. */
export function needsDatabase(service: string): boolean {
  return service !== 'events'
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

/** @returns a watch that has seen nothing yet, which counts as away */
export function watchSystem({ services, stateful, now }: SystemStateDeps): SystemWatch {
  let last: SystemState = { services: false, database: false }

  async function look(): Promise<SystemState> {
    const deadline = now() + readinessTimeout
    const all = async (clients: readonly HealthClient[], part: string) =>
      (await Promise.all(clients.map((client) => client.isServing(part, deadline)))).every(Boolean)
    const [answering, database] = await Promise.all([all(services, ''), all(stateful, databaseHealth)])
    last = { services: answering, database }
    return last
  }

  return {
    last: () => last,
    look: shared(look),
  }
}
