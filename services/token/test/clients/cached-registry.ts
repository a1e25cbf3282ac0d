import type { Client } from '../../src/clients/client-authentication.ts'
import { type ClientCacheDeps, createClientCache } from '../../src/clients/client-cache.ts'
import type { KnownClient } from '../../src/clients/client-entries.ts'
import { someClient } from './clients.ts'

/** A client in the registry. */
export const registered = (clientId: string, revision = 1n, changes: Partial<Client> = {}) => ({
  ...someClient({ clientId }),
  revision,
  ...changes,
})

/** Starts a cache over a registry in memory that records its requests, and can be away or slow. */
export const startCache = (...clients: Client[]) => startSmallCache(undefined, ...clients)

/** Starts such a cache that holds at most so many clients. */
export function startSmallCache(mostClients: number | undefined, ...clients: Client[]) {
  const registry = new Map(clients.map((client) => [client.clientId, client]))
  const asked: KnownClient[][] = []
  const reported: string[] = []
  const counted = { hits: 0, misses: 0 }
  let time = 1_900_000_000_000
  let away = false
  /** A lookup that begins now waits for this between reading the registry and answering. */
  let delay: Promise<void> | undefined

  const deps: ClientCacheDeps = {
    registry: {
      async lookup(known) {
        asked.push(known.map(({ clientId, revision }) => ({ clientId, revision })))
        if (away) throw new Error('the registry is away')
        const answer = {
          changed: known.flatMap(({ clientId, revision }) => {
            const client = registry.get(clientId)
            return client && client.revision !== revision ? [client] : []
          }),
          unknown: known.map(({ clientId }) => clientId).filter((clientId) => !registry.has(clientId)),
        }
        await delay
        return answer
      },
    },
    ...(mostClients !== undefined && { mostClients }),
    now: () => time,
    hit: () => {
      counted.hits += 1
    },
    miss: () => {
      counted.misses += 1
    },
    unreachable: (error) => void reported.push(error ? 'away' : 'back'),
  }
  const cache = createClientCache(deps)
  return {
    cache,
    asked,
    reported,
    counted,
    now: () => time,
    put: (client: Client) => void registry.set(client.clientId, client),
    remove: (clientId: string) => void registry.delete(clientId),
    pass(milliseconds: number) {
      time += milliseconds
    },
    goAway() {
      away = true
    },
    comeBack() {
      away = false
    },
    /** Lookups from now on wait until the returned function is called, and fail if it is called with an error. */
    slowDown(): (error?: Error) => void {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      delay = promise
      return (error) => (error ? reject(error) : resolve())
    },
    speedUp() {
      delay = undefined
    },
  }
}

/** Waits a turn of the event loop, after which pending lookups have been sent. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
