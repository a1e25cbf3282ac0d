import { expect, test } from 'vitest'
import { registered, startCache, startSmallCache, turn } from './cached-registry.ts'

test('looks a client up once and serves it for 0.9 s without asking again', async () => {
  const { cache, asked, pass, counted } = startCache(registered('a'))
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  pass(900)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  expect(asked).toEqual([[{ clientId: 'a', revision: 0n }]])
  expect(counted).toEqual({ hits: 1, misses: 1 })
  pass(1)
  await cache.find('a')
  expect(asked.slice(1)).toEqual([[{ clientId: 'a', revision: 1n }]])
  // The answer makes the entry fresh again.
  pass(900)
  await cache.find('a')
  expect(asked).toHaveLength(2)
})

test('treats an impossible id as unknown, without failing the lookups of others', async () => {
  const { cache, asked } = startCache(registered('a'))
  const found = await Promise.all(['a', 'a\0', 'x'.repeat(256)].map(cache.find))
  expect(found.map((client) => client?.clientId)).toEqual(['a', undefined, undefined])
  expect(asked).toEqual([[{ clientId: 'a', revision: 0n }]])
})

test('shares one request between concurrent lookups, with each client once', async () => {
  const { cache, asked } = startCache(registered('a'), registered('b'))
  const found = await Promise.all(['a', 'b', 'a', 'nobody'].map(cache.find))
  expect(found.map((client) => client?.clientId)).toEqual(['a', 'b', 'a', undefined])
  expect(asked.map((known) => known.map(({ clientId }) => clientId))).toEqual([['a', 'b', 'nobody']])
})

test('revalidates only the clients used since the last time, in one request', async () => {
  const { cache, asked, pass } = startCache(registered('a'), registered('b', 7n), registered('c'))
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

test('never delays a request for a client that is used and revalidated every 600 ms', async () => {
  const { cache, counted, pass } = startCache(registered('a'))
  await cache.find('a')
  for (let round = 0; round < 10; round += 1) {
    pass(600)
    await cache.find('a')
    await cache.revalidate()
  }
  expect(counted).toEqual({ hits: 10, misses: 1 })
})

test('applies a change or a deletion with the next revalidation', async () => {
  const { cache, put, remove, pass } = startCache(registered('a'), registered('b'))
  await Promise.all(['a', 'b'].map(cache.find))
  put(registered('a', 2n, { disabled: true }))
  remove('b')
  pass(1_000)
  await cache.revalidate()
  expect(await cache.find('a')).toMatchObject({ disabled: true })
  expect(await cache.find('b')).toBeUndefined()
})

test('applies a change after 0.9 s without revalidation', async () => {
  const { cache, put, remove, pass } = startCache(registered('a'), registered('b'))
  await Promise.all(['a', 'b'].map(cache.find))
  put(registered('a', 2n, { disabled: true }))
  remove('b')
  pass(901)
  expect(await cache.find('a')).toMatchObject({ disabled: true })
  expect(await cache.find('b')).toBeUndefined()
})

test('remembers an unknown id for 1 s', async () => {
  const { cache, asked, pass, put } = startCache()
  expect(await cache.find('a')).toBeUndefined()
  put(registered('a'))
  pass(1_000)
  expect(await cache.find('a')).toBeUndefined()
  expect(asked).toHaveLength(1)
  pass(1)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
})

test('knows an unknown id at once when it is told of the client, also while an earlier answer is on its way', async () => {
  const { cache, pass, put, slowDown, speedUp } = startCache()
  await cache.find('a')
  put(registered('a'))
  cache.forget('a')
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  const letGo = slowDown()
  const slow = cache.find('b')
  await turn()
  speedUp()
  put(registered('b'))
  pass(10)
  cache.forget('b')
  letGo()
  await slow
  expect(await cache.find('b')).toMatchObject({ clientId: 'b' })
})

test('refreshes a client after a decision, with one request for concurrent calls', async () => {
  const { cache, asked, now, pass, put } = startCache(registered('a'))
  await cache.find('a')
  pass(100)
  expect(await cache.refresh('a', now())).toBe(false)
  put(registered('a', 2n))
  pass(100)
  const since = now()
  asked.length = 0
  expect(await Promise.all([cache.refresh('a', since), cache.refresh('a', since)])).toEqual([true, true])
  expect(asked).toEqual([[{ clientId: 'a', revision: 1n }]])
  expect(await cache.find('a')).toMatchObject({ revision: 2n })
})

test('reports a change that another call has found since the decision', async () => {
  const { cache, now, pass, put } = startCache(registered('a'))
  await cache.find('a')
  const since = now()
  pass(10)
  put(registered('a', 2n))
  expect(await cache.refresh('a', since)).toBe(true)
  pass(10)
  expect(await cache.refresh('a', since)).toBe(true)
  expect(await cache.refresh('unknown', since)).toBe(false)
})

test('reports a change that happened in the same millisecond as the lookup', async () => {
  const { cache, now, put } = startCache(registered('a'))
  await cache.find('a')
  put(registered('a', 2n))
  expect(await cache.refresh('a', now())).toBe(true)
  expect(await cache.find('a')).toMatchObject({ revision: 2n })
})

test('does not confirm a forgotten client with an answer to an earlier request', async () => {
  const { cache, pass, put, slowDown, speedUp } = startCache(registered('a'))
  await cache.find('a')
  const letGo = slowDown()
  const slow = cache.revalidate()
  await turn()
  speedUp()
  pass(10)
  put(registered('a', 2n, { disabled: true }))
  cache.forget('a')
  letGo()
  await slow
  expect(await cache.find('a')).toMatchObject({ disabled: true })
})

test('reports a deleted client as changed', async () => {
  const { cache, now, pass, remove } = startCache(registered('a'))
  await cache.find('a')
  pass(100)
  remove('a')
  expect(await cache.refresh('a', now())).toBe(true)
  expect(await cache.find('a')).toBeUndefined()
})

test('reports no change while the registry does not answer', async () => {
  const { cache, asked, now, goAway, pass } = startCache(registered('a'))
  await cache.find('a')
  pass(100)
  goAway()
  expect(await cache.refresh('a', now())).toBe(false)
  asked.length = 0
  // The registry has just failed to answer, so it is not asked again.
  expect(await cache.refresh('a', now())).toBe(false)
  expect(asked).toEqual([])
})

test('looks a forgotten client up before it is used again', async () => {
  const { cache, put } = startCache(registered('a'))
  await cache.find('a')
  put(registered('a', 2n, { disabled: true }))
  cache.forget('a')
  cache.forget('unknown')
  expect(await cache.find('a')).toMatchObject({ disabled: true })
})

test('does not return to an older revision when answers arrive out of order', async () => {
  const { cache, pass, put, slowDown, speedUp } = startCache(registered('a', 1n))
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

test('does not forget a new client when answers arrive out of order', async () => {
  const { cache, pass, put, slowDown, speedUp } = startCache()
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

test('evicts the least recently used clients when it is full', async () => {
  const everybody = Array.from({ length: 25 }, (_, index) => registered(`c${index}`))
  const { cache, asked } = startSmallCache(20, ...everybody)
  for (const { clientId } of everybody) await cache.find(clientId)
  asked.length = 0
  await cache.find('c20')
  expect(asked).toEqual([])
  await cache.find('c0')
  expect(asked).toEqual([[{ clientId: 'c0', revision: 0n }]])
})

test('returns a client that a full cache evicts as soon as it is confirmed', async () => {
  const everybody = Array.from({ length: 21 }, (_, index) => registered(`c${index}`))
  const { cache, pass } = startSmallCache(20, ...everybody)
  for (let index = 0; index < 20; index += 1) await cache.find(`c${index}`)
  pass(2_000)
  const [oldest, newcomer] = await Promise.all([cache.find('c0'), cache.find('c20')])
  expect([oldest?.clientId, newcomer?.clientId]).toEqual(['c0', 'c20'])
})
