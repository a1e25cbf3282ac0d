import { expect, test } from 'vitest'
import { countWaiting, rememberFailures } from '../../src/providers/requests-under-way.ts'

test('of eleven steps that wait for a provider the last one is refused, and a later one is not', async () => {
  const wait = countWaiting()
  const slow = Promise.withResolvers<string>()
  const ten = Array.from({ length: 10 }, () => wait(() => slow.promise))
  await expect(wait(async () => 'late')).rejects.toMatchObject({ kind: 'unreachable' })
  slow.reject(new Error('too slow'))
  expect((await Promise.allSettled(ten)).every(({ status }) => status === 'rejected')).toBe(true)
  expect(await wait(async () => 'later')).toBe('later')
})

test('an address that could not be reached is not asked again for some seconds, and others are', async () => {
  let now = 0
  let asked = 0
  const ask = rememberFailures(
    async (url) => {
      asked += 1
      if (String(url).endsWith('/token')) throw new Error(`failure ${asked}`)
      return new Response('', { status: 503 })
    },
    5_000,
    () => now,
  )
  const token = 'https://login.example/token'
  for (let time = 0; time < 3; time += 1) await expect(ask(token)).rejects.toThrow('failure 1')
  expect(asked).toBe(1)
  // An answer is none of that kind: the provider may refuse one person.
  for (let time = 0; time < 2; time += 1) expect((await ask('https://login.example/par')).status).toBe(503)
  expect(asked).toBe(3)
  now = 5_000
  await expect(ask(token)).rejects.toThrow('failure 4')
})
