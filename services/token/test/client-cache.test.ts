import { expect, test } from 'vitest'
import {
  type ClientCacheDeps,
  createClientCache,
  type KnownClient,
  type RegisteredClient,
} from '../src/client-cache.ts'
import { someClient } from './clients.ts'

const registered = (clientId: string, revision = 1n, changes: Partial<RegisteredClient> = {}) => ({
  ...someClient({ clientId }),
  revision,
  ...changes,
})

/** A registry in memory that tells what it was asked, and can be away or slow. */
function start(...clients: RegisteredClient[]) {
  const registry = new Map(clients.map((client) => [client.clientId, client]))
  const asked: KnownClient[][] = []
  const told: string[] = []
  const counted = { hits: 0, misses: 0 }
  let time = 1_900_000_000_000
  let away = false
  /** What a lookup that was begun now waits for, between reading the registry and answering. */
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
    now: () => time,
    hit: () => {
      counted.hits += 1
    },
    miss: () => {
      counted.misses += 1
    },
    unreachable: (error) => void told.push(error ? 'away' : 'back'),
  }
  const cache = createClientCache(deps)
  return {
    cache,
    asked,
    told,
    counted,
    put: (client: RegisteredClient) => void registry.set(client.clientId, client),
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
    /** Lookups from now on wait for the given function to be called, and fail when it is called with an error. */
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

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a client is looked up once, then served without asking for 1.5 s', async () => {
  const { cache, asked, pass, counted } = start(registered('a'))
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  pass(1_500)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  expect(asked).toEqual([[{ clientId: 'a', revision: 0n }]])
  expect(counted).toEqual({ hits: 1, misses: 1 })
  pass(1)
  await cache.find('a')
  expect(asked.slice(1)).toEqual([[{ clientId: 'a', revision: 1n }]])
  // What was confirmed just now is fresh again.
  pass(1_500)
  await cache.find('a')
  expect(asked).toHaveLength(2)
})

test('those who ask at the same moment share one question, which names each client once', async () => {
  const { cache, asked } = start(registered('a'), registered('b'))
  const found = await Promise.all(['a', 'b', 'a', 'nobody'].map(cache.find))
  expect(found.map((client) => client?.clientId)).toEqual(['a', 'b', 'a', undefined])
  expect(asked.map((known) => known.map(({ clientId }) => clientId))).toEqual([['a', 'b', 'nobody']])
})

test('revalidating asks in one call for the clients that were used since the last time, and for no other', async () => {
  const { cache, asked, pass } = start(registered('a'), registered('b', 7n), registered('c'))
  await Promise.all(['a', 'b', 'c'].map(cache.find))
  await cache.revalidate()
  asked.length = 0
  pass(1_000)
  await cache.find('b')
  await cache.revalidate()
  expect(asked).toEqual([[{ clientId: 'b', revision: 7n }]])
  await cache.revalidate()
  expect(asked).toHaveLength(1)
})

test('a client that is used and revalidated each second is never asked for on the way of a request', async () => {
  const { cache, counted, pass } = start(registered('a'))
  await cache.find('a')
  for (let second = 0; second < 10; second += 1) {
    pass(1_000)
    await cache.find('a')
    await cache.revalidate()
  }
  expect(counted).toEqual({ hits: 10, misses: 1 })
})

test('a client that was changed or deleted counts as such after the next revalidation', async () => {
  const { cache, put, remove, pass } = start(registered('a'), registered('b'))
  await Promise.all(['a', 'b'].map(cache.find))
  put(registered('a', 2n, { disabled: true }))
  remove('b')
  pass(1_000)
  await cache.revalidate()
  expect(await cache.find('a')).toMatchObject({ disabled: true })
  expect(await cache.find('b')).toBeUndefined()
})

test('without revalidation, a change counts after 1.5 s', async () => {
  const { cache, put, remove, pass } = start(registered('a'), registered('b'))
  await Promise.all(['a', 'b'].map(cache.find))
  put(registered('a', 2n, { disabled: true }))
  remove('b')
  pass(1_501)
  expect(await cache.find('a')).toMatchObject({ disabled: true })
  expect(await cache.find('b')).toBeUndefined()
})

test('while the registry is away, clients serve 5 s more, and then nobody is refused for good', async () => {
  const { cache, goAway, pass, told } = start(registered('a'))
  await cache.find('a')
  goAway()
  pass(1_501)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  pass(4_999)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  pass(1)
  await expect(cache.find('a')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(told).toEqual(['away'])
})

test('while the registry is away, its clients are served without waiting for it', async () => {
  const { cache, asked, goAway, pass } = start(registered('a'))
  await cache.find('a')
  goAway()
  pass(1_501)
  await cache.find('a')
  asked.length = 0
  pass(1_000)
  await cache.find('a')
  expect(asked).toEqual([])
})

test('a client that nobody has looked up is 503 while the registry is away, not a wrong secret', async () => {
  const { cache, goAway } = start(registered('a'))
  goAway()
  await expect(cache.find('a')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
})

test('when the registry is back, that is told once, and what happened meanwhile counts', async () => {
  const { cache, goAway, comeBack, put, pass, told } = start(registered('a'))
  await cache.find('a')
  goAway()
  for (let second = 0; second < 3; second += 1) {
    pass(1_000)
    await cache.find('a')
    await cache.revalidate().catch(() => undefined)
  }
  put(registered('a', 2n, { disabled: true }))
  comeBack()
  await cache.find('a')
  await cache.revalidate()
  expect(await cache.find('a')).toMatchObject({ disabled: true })
  expect(told).toEqual(['away', 'back'])
})

test('as soon as the registry answers again, a client that nobody knows yet is asked for', async () => {
  const { cache, goAway, comeBack } = start(registered('a'), registered('b'))
  await cache.find('a')
  goAway()
  await expect(cache.revalidate()).rejects.toThrow('away')
  await expect(cache.find('b')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  comeBack()
  await cache.find('a')
  await cache.revalidate()
  expect(await cache.find('b')).toMatchObject({ clientId: 'b' })
})

test('a question that got stuck and fails after a later one was answered says nothing about now', async () => {
  const { cache, slowDown, speedUp, pass, told } = start(registered('a'), registered('b'), registered('c'))
  const stuck = slowDown()
  const waiting = cache.find('a')
  await turn()
  speedUp()
  pass(1_900)
  await cache.find('b')
  stuck(new Error('no answer within the deadline'))
  await expect(waiting).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(await cache.find('c')).toMatchObject({ clientId: 'c' })
  expect(told).toEqual([])
})

test('a revalidation that failed is made up for by the next', async () => {
  const { cache, asked, goAway, comeBack, pass, remove } = start(registered('a'))
  await cache.find('a')
  goAway()
  await expect(cache.revalidate()).rejects.toThrow('away')
  comeBack()
  remove('a')
  pass(1_000)
  await cache.find('a')
  await cache.revalidate()
  expect(asked.at(-1)).toEqual([{ clientId: 'a', revision: 1n }])
  expect(await cache.find('a')).toBeUndefined()
})

test('an id that no client has is remembered for 1 s', async () => {
  const { cache, asked, pass, put } = start()
  expect(await cache.find('a')).toBeUndefined()
  put(registered('a'))
  pass(1_000)
  expect(await cache.find('a')).toBeUndefined()
  expect(asked).toHaveLength(1)
  pass(1)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
})

test('an answer that was overtaken does not bring back an older revision', async () => {
  const { cache, pass, put, slowDown, speedUp } = start(registered('a', 1n))
  await cache.find('a')
  put(registered('a', 2n))
  pass(1_501)
  const letGo = slowDown()
  const slow = cache.find('a')
  await turn()
  speedUp()
  put(registered('a', 3n, { disabled: true }))
  await cache.revalidate()
  letGo()
  await slow
  expect(await cache.find('a')).toMatchObject({ disabled: true })
})

test('an answer that was overtaken does not make a client unknown that is known since', async () => {
  const { cache, pass, put, slowDown, speedUp } = start()
  const letGo = slowDown()
  const slow = cache.find('a')
  await turn()
  speedUp()
  put(registered('a'))
  pass(10)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  letGo()
  await slow
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
})

test('the cache is bounded: what was not used for longest is forgotten first', {
  timeout: 30_000,
}, async () => {
  const most = 100_000
  const everybody = Array.from({ length: most + 500 }, (_, index) => registered(`c${index}`))
  const { cache, asked } = start(...everybody)
  for (let from = 0; from < everybody.length; from += 5_000) {
    await Promise.all(everybody.slice(from, from + 5_000).map(({ clientId }) => cache.find(clientId)))
  }
  asked.length = 0
  await cache.find(`c${most}`)
  expect(asked).toEqual([])
  await cache.find('c0')
  expect(asked).toEqual([[{ clientId: 'c0', revision: 0n }]])
})

test('a client is not lost to a full cache in the moment in which it is confirmed', {
  timeout: 30_000,
}, async () => {
  const most = 100_000
  const everybody = Array.from({ length: most + 1 }, (_, index) => registered(`c${index}`))
  const { cache, pass } = start(...everybody)
  for (let from = 0; from < most; from += 5_000) {
    await Promise.all(
      everybody.slice(from, Math.min(from + 5_000, most)).map(({ clientId }) => cache.find(clientId)),
    )
  }
  pass(2_000)
  const [oldest, newcomer] = await Promise.all([cache.find('c0'), cache.find(`c${most}`)])
  expect([oldest?.clientId, newcomer?.clientId]).toEqual(['c0', `c${most}`])
})
