import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasRedis, startRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOverLimits } from '../../src/limits/over-limits.ts'
import { shareOverLimits } from '../../src/limits/shared-over-limits.ts'
import { back, connected, lost, untilCounting } from './redis-limiter.ts'

describe.skipIf(!hasRedis)('with Redis', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.stop())
  beforeEach(async () => {
    await redis.ask('FLUSHALL')
  })

  test('the rights that the documentation names are enough, also to tell each other who is over a limit', async () => {
    const page = readFileSync(new URL('../../../../docs/operate/redis.md', import.meta.url), 'utf8')
    const [rights = ''] = /^ACL SETUSER .*$/m.exec(page) ?? []
    await redis.ask(rights.replace('>PASSWORD', '>secret'))
    const url = Object.assign(new URL(redis.url), { username: 'gatehouse', password: 'secret' }).href
    const gateways = await Promise.all(
      ['one', 'other'].map(async (name) => {
        const { limiter, client, alone } = await connected(url)
        const over = createOverLimits({ shared: shareOverLimits(client, name), now: Date.now })
        return { limiter, alone, over }
      }),
    )
    for (const { limiter, alone, over } of gateways) {
      await limiter.count('token', 'a')
      over.note({ bucket: 'token', clientId: 'client_a', network: '192.0.2.1' }, 60)
      await over.share()
      expect(alone.count).toBe(0)
    }
    for (const { over } of gateways)
      expect(await over.list()).toMatchObject({ over: [{ clientId: 'client_a', refused: 2 }], shared: true })
    await redis.ask('ACL DELUSER gatehouse')
  })

  test('several gateways together allow exactly the limit, however many requests come at once', async () => {
    const gateways = await Promise.all([1, 2, 3].map(() => connected(redis.url)))
    const standings = await Promise.all(
      Array.from({ length: 300 }, (_, index) => gateways[index % 3]?.limiter.count('token', 'a')),
    )
    const allowed = standings.filter((standing) => standing?.allowed)
    expect(allowed.map((standing) => standing?.remaining).sort((a = 0, b = 0) => b - a)).toEqual(
      Array.from({ length: 20 }, (_, index) => 19 - index),
    )
    expect(gateways.map(({ alone }) => alone.count)).toEqual([0, 0, 0])
  })

  test('a window begins with its first request and is not prolonged by the next', async () => {
    const { limiter } = await connected(redis.url)
    expect((await limiter.count('token', 'a')).reset).toBe(60)
    const [first] = await redis.ask('PTTL gatehouse:limit:token:a')
    expect(Number(first?.slice(1))).toBeGreaterThan(58_000)
    await redis.ask('PEXPIRE gatehouse:limit:token:a 12345')
    expect(await limiter.count('token', 'a')).toEqual({ allowed: true, limit: 20, remaining: 18, reset: 13 })
    const [second] = await redis.ask('PTTL gatehouse:limit:token:a')
    expect(Number(second?.slice(1))).toBeLessThanOrEqual(12_345)
    await redis.ask('PEXPIRE gatehouse:limit:token:a 1')
    await sleep(10)
    expect(await limiter.count('token', 'a')).toEqual({ allowed: true, limit: 20, remaining: 19, reset: 60 })
  })

  test('an exhausted key is refused without asking Redis until the window ends', async () => {
    const one = await connected(redis.url)
    const other = await connected(redis.url)
    for (let index = 0; index < 20; index += 1) await one.limiter.count('token', 'a')
    // The other gateway learns it from its first request to Redis.
    expect((await other.limiter.count('token', 'a')).allowed).toBe(false)
    await redis.ask('CONFIG RESETSTAT')
    for (const { limiter } of [one, other]) {
      for (let index = 0; index < 50; index += 1) {
        expect(await limiter.count('token', 'a')).toEqual({
          allowed: false,
          limit: 20,
          remaining: 0,
          reset: 60,
        })
      }
    }
    expect((await redis.callsOf('evalsha')) + (await redis.callsOf('eval'))).toBe(0)
  })

  test('counting continues when Redis loses its scripts', async () => {
    const opened = await connected(redis.url)
    await opened.limiter.count('token', 'a')
    await redis.ask('SCRIPT FLUSH')
    expect((await opened.limiter.count('token', 'a')).remaining).toBe(18)
    expect(opened.alone.count).toBe(0)
  })

  test('Redis is used again after a crash and a restart, each of which is logged once', async () => {
    const opened = await connected(redis.url)
    const { limiter, alone, messages } = opened
    await redis.kill()
    for (let index = 0; index < 21; index += 1) {
      expect((await limiter.count('token', 'a')).allowed).toBe(index < 20)
      await sleep(50)
    }
    expect(alone.count).toBe(20)
    expect(messages()).toEqual([lost])
    await redis.start()
    await untilCounting(opened)
    expect(messages()).toEqual([lost, back])
  })

  test('a Redis that hangs delays requests once, all at the same time', async () => {
    const opened = await connected(redis.url)
    redis.suspend()
    const begin = performance.now()
    const standings = await Promise.all(Array.from({ length: 30 }, () => opened.limiter.count('token', 'a')))
    // One after the other would take 15 s.
    expect(performance.now() - begin).toBeLessThan(10_000)
    expect(standings.filter(({ allowed }) => allowed).length).toBe(20)
    const then = performance.now()
    for (let index = 0; index < 100; index += 1) await opened.limiter.count('token', `b-${index}`)
    // Each request that waits takes half a second: 50 s.
    expect(performance.now() - then).toBeLessThan(30_000)
    redis.resume()
    await untilCounting(opened)
    expect(opened.messages()).toEqual([lost, back])
  })

  test('when Redis hangs between requests, no request waits for two timeouts', async () => {
    const { limiter } = await connected(redis.url)
    await limiter.count('other', 'first')
    redis.suspend()
    const waits: Promise<number>[] = []
    let late = 0
    for (let index = 0; index < 100; index += 1) {
      const begin = performance.now()
      waits.push(limiter.count('other', `a-${index}`).then(() => performance.now() - begin))
      await sleep(10)
      late = Math.max(late, performance.now() - begin - 10)
    }
    const longest = Math.max(...(await Promise.all(waits)))
    redis.resume()
    expect(longest).toBeGreaterThan(400)
    // The delay of this process itself is not caused by Redis.
    expect(longest - late).toBeLessThan(800)
  })

  test('requests being counted when Redis crashes are counted without it', async () => {
    const { limiter, alone } = await connected(redis.url)
    await limiter.count('other', 'first')
    redis.suspend()
    const counts = Promise.all(Array.from({ length: 20 }, () => limiter.count('token', 'a')))
    // Waits until the requests have been sent.
    await sleep(20)
    await redis.kill()
    const standings = await counts
    await redis.start()
    expect(standings.map(({ remaining }) => remaining)).toEqual(standings.map((_, index) => 19 - index))
    expect(alone.count).toBe(20)
  })

  test('a process that ends does not log that its connection closes', async () => {
    const { client, lines } = await connected(redis.url)
    const ended = once(client, 'end')
    client.disconnect()
    await ended
    expect(lines).toEqual([])
  })

  test('a Redis that answers but cannot count is no longer asked, and logged once', async () => {
    const opened = await connected(redis.url)
    await redis.ask('CONFIG SET maxmemory 1')
    const connections = async () =>
      Number((await redis.ask('INFO stats')).find((line) => line.startsWith('total_conn'))?.split(':')[1])
    const before = await connections()
    for (let index = 0; index < 25; index += 1) {
      expect((await opened.limiter.count('token', 'a')).allowed).toBe(index < 20)
      await sleep(20)
    }
    // Only the test's own connection.
    expect((await connections()) - before).toBe(1)
    expect(opened.lines).toEqual([
      expect.objectContaining({ msg: lost, reason: expect.stringContaining('OOM') }),
    ])
    await redis.ask('CONFIG SET maxmemory 0')
    await untilCounting(opened)
    expect(opened.messages()).toEqual([lost, back])
  })

  test('a Redis that became a replica is left for its successor at the same address', async () => {
    const opened = await connected(redis.url)
    await redis.ask('REPLICAOF 127.0.0.1 1')
    const closed = once(opened.client, 'close')
    expect((await opened.limiter.count('token', 'a')).allowed).toBe(true)
    await closed
    await redis.ask('REPLICAOF NO ONE')
    await untilCounting(opened)
    expect(opened.messages()).toEqual([lost, back])
  })
})
