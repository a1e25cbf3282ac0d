import type { SystemState } from './system-state.ts'

/** The needs of awaitServices. */
export type AwaitServicesDeps = {
  /** The connections over which the needed services are called, by their names. */
  connections: ReadonlyMap<string, { connect(deadline: number): Promise<boolean> }>
  look(): Promise<SystemState>
  /** Aborted when the process stops. */
  stopping: AbortSignal
  /** Milliseconds since the Unix epoch. */
  now(): number
  sleep(ms: number): Promise<unknown>
}

/** How long a start waits for any service at all, in milliseconds: as long as they wait for the migrations. */
const patience = 10 * 60_000
/** How long it waits for the others when one answers, in milliseconds. */
const patienceForOthers = 30_000
const lookEvery = 100

/**
 * Waits until every service that is needed answers. All processes start at once, and without this the first caller would get a
 * 503 only because the gateway was quicker. Each connection resolves the service's name by itself, so an answer over one of
 * them says nothing about the others. While no service answers, a gateway can do nothing, and the services may be waiting for a
 * new database; when some do, it does not wait long for the others, because it can do what needs only those.
 * @returns the names of the services that do not answer
 */
export async function awaitServices(deps: AwaitServicesDeps): Promise<string[]> {
  const { connections, look, stopping, now, sleep } = deps
  const names = [...connections.keys()]
  let end = now() + patience
  let isFirst = true
  const connected = new Set<string>()
  for (const [name, connection] of connections)
    void connection.connect(end).then((isConnected) => isConnected && connected.add(name))
  for (;;) {
    const { services } = await look()
    const answering = names.filter((name) => services[name] !== 'unavailable')
    if (isFirst && answering.length > 0) {
      isFirst = false
      end = Math.min(end, now() + patienceForOthers)
    }
    const away = names.filter((name) => !answering.includes(name) || !connected.has(name))
    if (away.length === 0 || now() >= end || stopping.aborted) return away
    await sleep(lookEvery)
  }
}
