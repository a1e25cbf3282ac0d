import { expect, test } from 'vitest'
import { registered, startCache, turn } from './cached-registry.ts'

test('a client is looked up once, then served without asking for 1.5 s', async () => {
  const { cache, asked, pass, counted } = startCache(registered('a'))
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

test('a client that is used and revalidated each second is never asked for on the way of a request', async () => {
  const { cache, counted, pass } = startCache(registered('a'))
  await cache.find('a')
  for (let second = 0; second < 10; second += 1) {
    pass(1_000)
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

test('without revalidation, a change counts after 1.5 s', async () => {
  const { cache, put, remove, pass } = startCache(registered('a'), registered('b'))
  await Promise.all(['a', 'b'].map(cache.find))
  put(registered('a', 2n, { disabled: true }))
  remove('b')
  pass(1_501)
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

test('the cache is bounded: what was not used for longest is forgotten first', {
  timeout: 30_000,
}, async () => {
  const most = 100_000
  const everybody = Array.from({ length: most + 500 }, (_, index) => registered(`c${index}`))
  const { cache, asked } = startCache(...everybody)
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
  const { cache, pass } = startCache(...everybody)
  for (let from = 0; from < most; from += 5_000) {
    await Promise.all(
      everybody.slice(from, Math.min(from + 5_000, most)).map(({ clientId }) => cache.find(clientId)),
    )
  }
  pass(2_000)
  const [oldest, newcomer] = await Promise.all([cache.find('c0'), cache.find(`c${most}`)])
  expect([oldest?.clientId, newcomer?.clientId]).toEqual(['c0', `c${most}`])
})
