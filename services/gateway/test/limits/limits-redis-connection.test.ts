import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigurationError } from '@gatehouse/kit/config/config'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { hasRedis, startRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openRedis } from '../../src/limits/redis.ts'
import { connected, lost, openLimiter } from './redis-limiter.ts'

describe.skipIf(!hasRedis)('with a Redis that has a password', () => {
  const password = 'the-password-of-redis'
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis({ requirepass: password })
  })
  afterAll(() => redis?.stop())

  test('the limiter uses the password, with or without a user name', async () => {
    for (const user of ['', 'default']) {
      const { limiter, alone } = await connected(`redis://${user}:${password}@127.0.0.1:${redis.port}/3`)
      expect((await limiter.count('token', user)).remaining).toBe(19)
      expect(alone.count).toBe(0)
    }
  })

  test('the next connection uses a password that was changed', async () => {
    const { client, renewLogin } = openRedis(redis.url, recordedLog().log)
    onTestFinished(() => client.disconnect())
    await expect.poll(() => client.status).toBe('ready')
    await redis.ask(`ACL SETUSER default >another-password <${password}`)
    renewLogin?.(redis.url.replace(password, 'another-password'))
    const closed = once(client, 'close')
    client.disconnect(true)
    await closed
    await expect.poll(() => client.status).toBe('ready')
    expect(await client.client('GETNAME')).toBe('gatehouse-gateway')
    await client.acl('SETUSER', 'default', `>${password}`)
  })

  test.each([
    ['a wrong password', `:${password}-wrong`, 'WRONGPASS'],
    ['a missing password', '', 'NOAUTH'],
  ])('%s is logged once, without the password', async (_what, credentials, reason) => {
    const { limiter, lines } = openLimiter(
      `redis://${credentials && `${credentials}@`}127.0.0.1:${redis.port}`,
    )
    for (let index = 0; index < 10; index += 1) {
      expect((await limiter.count('token', 'a')).allowed).toBe(true)
      await sleep(50)
    }
    expect(lines).toEqual([expect.objectContaining({ msg: lost, reason: expect.stringContaining(reason) })])
    expect(JSON.stringify(lines)).not.toContain(password)
  })
})

test('an error of Redis about a command is logged without the arguments that it quotes', async () => {
  const { log, lines } = recordedLog()
  const redis = openRedis('redis://127.0.0.1:1', log)
  onTestFinished(() => redis.client.disconnect())
  redis.client.emit(
    'error',
    new Error("ERR unknown command 'AUTH', with args beginning with: 'the-password'"),
  )
  expect(lines).toEqual([expect.objectContaining({ reason: "ERR unknown command 'AUTH'" })])
})

test('if Redis is away from the start, requests are counted without it at once, and one warning is logged', async () => {
  const { limiter, alone, lines } = openLimiter('redis://127.0.0.1:1')
  const begin = performance.now()
  for (let index = 0; index < 21; index += 1) {
    expect((await limiter.count('token', 'a')).allowed).toBe(index < 20)
  }
  // Each request that waits takes half a second: 10 s.
  expect(performance.now() - begin).toBeLessThan(8_000)
  await sleep(500)
  expect(alone.count).toBe(20)
  expect(lines).toEqual([
    expect.objectContaining({ msg: lost, reason: expect.stringContaining('ECONNREFUSED') }),
  ])
})

test.each([
  'redis://',
  'redis://:secret@',
  'redis://localhost:port',
  'redis://localhost:99999',
  'redis://localhost/zero',
  'redis://localhost/0/1',
  'redis://localhost?enableOfflineQueue=1',
  'redis://:secret%zz@localhost',
  'redis://:sec#ret@localhost',
  'redis://a b',
])('a wrong URL is refused with one line that does not show it: %s', (url) => {
  const open = () => openRedis(url, recordedLog().log)
  expect(open).toThrow(ConfigurationError)
  expect(open).toThrow(/^OAUTH2_REDIS_URL must be a redis:\/\/ or rediss:\/\/ URL.* has \d+ characters$/)
  expect(open).not.toThrow(/secret|localhost/)
})
