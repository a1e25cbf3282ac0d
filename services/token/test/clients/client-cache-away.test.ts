import { expect, test } from 'vitest'
import { registered, startCache, turn } from './cached-registry.ts'

test('serves cached clients for 5 s more while the registry is away, and is then temporarily unavailable', async () => {
  const { cache, goAway, pass, reported } = startCache(registered('a'))
  await cache.find('a')
  goAway()
  pass(901)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  pass(4_999)
  expect(await cache.find('a')).toMatchObject({ clientId: 'a' })
  pass(1)
  await expect(cache.find('a')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(reported).toEqual(['away'])
})

test('serves cached clients without asking again while the registry is away', async () => {
  const { cache, asked, goAway, pass } = startCache(registered('a'))
  await cache.find('a')
  goAway()
  pass(1_501)
  await cache.find('a')
  asked.length = 0
  pass(1_000)
  await cache.find('a')
  expect(asked).toEqual([])
})

test('is temporarily unavailable for an unknown client while the registry is away', async () => {
  const { cache, goAway } = startCache(registered('a'))
  goAway()
  await expect(cache.find('a')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
})

test('reports once that the registry is back, and applies the changes made meanwhile', async () => {
  const { cache, goAway, comeBack, put, pass, reported } = startCache(registered('a'))
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
  expect(reported).toEqual(['away', 'back'])
})

test('looks up new clients as soon as the registry answers again', async () => {
  const { cache, goAway, comeBack } = startCache(registered('a'), registered('b'))
  await cache.find('a')
  goAway()
  await expect(cache.revalidate()).rejects.toThrow('away')
  await expect(cache.find('b')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  comeBack()
  await cache.find('a')
  await cache.revalidate()
  expect(await cache.find('b')).toMatchObject({ clientId: 'b' })
})

test('ignores a stuck request that fails after a later one was answered', async () => {
  const { cache, slowDown, speedUp, pass, reported } = startCache(
    registered('a'),
    registered('b'),
    registered('c'),
  )
  const stuck = slowDown()
  const waiting = cache.find('a')
  await turn()
  speedUp()
  pass(1_900)
  await cache.find('b')
  stuck(new Error('no answer within the deadline'))
  await expect(waiting).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(await cache.find('c')).toMatchObject({ clientId: 'c' })
  expect(reported).toEqual([])
})

test('catches up on a failed revalidation with the next one', async () => {
  const { cache, asked, goAway, comeBack, pass, remove } = startCache(registered('a'))
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
