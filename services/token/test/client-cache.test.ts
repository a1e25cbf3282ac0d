import { expect, test } from 'vitest'
import { registered, startCache, startSmallCache, turn } from './cached-registry.ts'

test('a client is looked up once, then served without asking for 0.9 s', async () => {
  const { cache, asked, pass, counted } = startCache(registered('a'))
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  pass(900)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  expect(asked).toEqual([[{ clientId: 'a', revision: 0n }]])
  expect(counted).toEqual({ hits: 1, misses: 1 })
  pass(1)
  await cache.find('a')
  expect(asked.slice(1)).toEqual([[{ clientId: 'a', revision: 1n }]])
  // What was confirmed just now is fresh again.
  pass(900)
  await cache.find('a')
  expect(asked).toHaveLength(2)
})

test('an id that nobody can have is unknown, and fails no question of others', async () => {
  const { cache, asked } = startCache(registered('a'))
  const found = await Promise.all(['a', 'a\0', 'x'.repeat(101)].map(cache.find))
  expect(found.map((client) => client?.clientId)).toEqual(['a', undefined, undefined])
  expect(asked).toEqual([[{ clientId: 'a', revision: 0n }]])
})

test('those who ask at the same moment share one question, which names each client once', async () => {
  const { cache, asked } = startCache(registered('a'), registered('b'))
  const found = await Promise.all(['a', 'b', 'a', 'nobody'].map(cache.find))
  expect(found.map((client) => client?.clientId)).toEqual(['a', 'b', 'a', undefined])
  expect(asked.map((known) => known.map(({ clientId }) => clientId))).toEqual([['a', 'b', 'nobody']])
})

test('revalidating asks in one call for the clients that were used since the last time, and for no other', async () => {
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

test('a client that is used and revalidated each 600 ms is never asked for on the way of a request', async () => {
  const { cache, counted, pass } = startCache(registered('a'))
  await cache.find('a')
  for (let round = 0; round < 10; round += 1) {
    pass(600)
    await cache.find('a')
    await cache.revalidate()
  }
  expect(counted).toEqual({ hits: 10, misses: 1 })
})

test('a client that was changed or deleted counts as such after the next revalidation', async () => {
  const { cache, put, remove, pass } = startCache(registered('a'), registered('b'))
  await Promise.all(['a', 'b'].map(cache.find))
  put(registered('a', 2n, { disabled: true }))
  remove('b')
  pass(1_000)
  await cache.revalidate()
  expect(await cache.find('a')).toMatchObject({ disabled: true })
  expect(await cache.find('b')).toBeUndefined()
})

test('without revalidation, a change counts after 0.9 s', async () => {
  const { cache, put, remove, pass } = startCache(registered('a'), registered('b'))
  await Promise.all(['a', 'b'].map(cache.find))
  put(registered('a', 2n, { disabled: true }))
  remove('b')
  pass(901)
  expect(await cache.find('a')).toMatchObject({ disabled: true })
  expect(await cache.find('b')).toBeUndefined()
})

test('an id that no client has is remembered for 1 s', async () => {
  const { cache, asked, pass, put } = startCache()
  expect(await cache.find('a')).toBeUndefined()
  put(registered('a'))
  pass(1_000)
  expect(await cache.find('a')).toBeUndefined()
  expect(asked).toHaveLength(1)
  pass(1)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
})

test('a client that a decision was made by is asked for again, and those who ask at once share the question', async () => {
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

test('a client that others asked for since a decision is another one for that decision, too', async () => {
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

test('a change counts for a decision that is made a moment after the client was asked for', async () => {
  const { cache, now, put } = startCache(registered('a'))
  await cache.find('a')
  put(registered('a', 2n))
  expect(await cache.refresh('a', now())).toBe(true)
  expect(await cache.find('a')).toMatchObject({ revision: 2n })
})

test('what was asked before a client was to be forgotten does not confirm it', async () => {
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

test('a client that was deleted is another one', async () => {
  const { cache, now, pass, remove } = startCache(registered('a'))
  await cache.find('a')
  pass(100)
  remove('a')
  expect(await cache.refresh('a', now())).toBe(true)
  expect(await cache.find('a')).toBeUndefined()
})

test('where the registry does not answer, a client is as it was', async () => {
  const { cache, asked, now, goAway, pass } = startCache(registered('a'))
  await cache.find('a')
  pass(100)
  goAway()
  expect(await cache.refresh('a', now())).toBe(false)
  asked.length = 0
  // It has just failed to answer: nobody waits for it again.
  expect(await cache.refresh('a', now())).toBe(false)
  expect(asked).toEqual([])
})

test('a client that is to be forgotten is looked up before it is used again', async () => {
  const { cache, put } = startCache(registered('a'))
  await cache.find('a')
  put(registered('a', 2n, { disabled: true }))
  cache.forget('a')
  cache.forget('unknown')
  expect(await cache.find('a')).toMatchObject({ disabled: true })
})

test('an answer that was overtaken does not bring back an older revision', async () => {
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

test('an answer that was overtaken does not make a client unknown that is known since', async () => {
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

test('the cache is bounded: what was not used for longest is forgotten first', async () => {
  const everybody = Array.from({ length: 25 }, (_, index) => registered(`c${index}`))
  const { cache, asked } = startSmallCache(20, ...everybody)
  for (const { clientId } of everybody) await cache.find(clientId)
  asked.length = 0
  await cache.find('c20')
  expect(asked).toEqual([])
  await cache.find('c0')
  expect(asked).toEqual([[{ clientId: 'c0', revision: 0n }]])
})

test('a client is not lost to a full cache in the moment in which it is confirmed', async () => {
  const everybody = Array.from({ length: 21 }, (_, index) => registered(`c${index}`))
  const { cache, pass } = startSmallCache(20, ...everybody)
  for (let index = 0; index < 20; index += 1) await cache.find(`c${index}`)
  pass(2_000)
  const [oldest, newcomer] = await Promise.all([cache.find('c0'), cache.find('c20')])
  expect([oldest?.clientId, newcomer?.clientId]).toEqual(['c0', 'c20'])
})
