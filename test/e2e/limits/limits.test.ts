import { setTimeout as sleep } from 'node:timers/promises'
import { basic, credentialsOf, expectRefusal, until } from '@gatehouse/test/oauth'
import { hasRedis, type TestRedis } from '@gatehouse/test/servers/redis'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  crowd,
  guessAndHangUp,
  type LimitedGateways,
  redisPassword,
  startLimitedGateways,
  statusOf,
} from './limited-gateways.ts'

let replicas: LimitedGateways
let redis: TestRedis
let system: TestSystem
let clients: RegisteredClient[]

describe.skipIf(!hasRedis)('two gateways and one Redis', () => {
  beforeAll(async () => {
    replicas = await startLimitedGateways()
    ;({ redis, system, clients } = replicas)
  })
  afterAll(() => replicas?.stop())

  let next = crowd
  let here: string
  let client: RegisteredClient
  let other: RegisteredClient
  // Two clients and an address for each test.
  beforeEach(() => {
    here = `203.0.113.${next}`
    client = clients[next] as RegisteredClient
    other = clients[next + 1] as RegisteredClient
    next += 2
  })

  const from = (ip: string) => ({ 'x-forwarded-for': ip })

  function askToken(gateway: number, credentials: Record<string, string> = credentialsOf(client), ip = here) {
    const form = { grant_type: 'client_credentials', ...credentials }
    return system.form(`${replicas.gateways[gateway % 2]}/oauth/token`, form, from(ip))
  }

  const countedAlone = () => replicas.metric('rate_limit_counted_alone_total')

  const warnings = () =>
    replicas
      .gatewayLog()
      .split('\n')
      .filter((line) => line.includes('each gateway counts'))

  test('the 21st token request in a minute is refused wherever it lands', async () => {
    const rejected = await replicas.metric('rate_limit_rejected_total')
    for (let index = 0; index < 20; index += 1) {
      const answer = await askToken(index)
      expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '20'])
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(19 - index))
      expect(Number(answer.headers.get('x-ratelimit-reset'))).toBeGreaterThan(30)
      await answer.body?.cancel()
    }
    for (const gateway of [0, 1]) {
      const refused = await askToken(gateway)
      const description = await expectRefusal(refused, 429, 'rate_limit_exceeded')
      expect(description).toMatch(/try again later/)
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
      expect(refused.headers.get('retry-after')).toBe(refused.headers.get('x-ratelimit-reset'))
      expect(refused.headers.get('cache-control')).toBe('no-store')
    }
    expect(await replicas.metric('rate_limit_rejected_total')).toBe(rejected + 2)
    // Nobody else is hindered.
    expect(await statusOf(askToken(0, credentialsOf(other)))).toBe(200)
  })

  test('of 200 who ask at once over both, exactly 20 are served', async () => {
    const statuses = await Promise.all(Array.from({ length: 200 }, (_, index) => statusOf(askToken(index))))
    expect(statuses.filter((status) => status === 200).length).toBe(20)
    expect(statuses.filter((status) => status === 429).length).toBe(180)
  })

  test('a request costs one round trip to Redis, and none when nothing is left', async () => {
    // Both connections know the script.
    for (const gateway of [0, 1]) await statusOf(askToken(gateway))
    const before = await redis.callsOf('evalsha')
    for (let index = 2; index < 20; index += 1) await statusOf(askToken(index))
    expect((await redis.callsOf('evalsha')) - before).toBe(18)
    // The one that did not serve the last of them may ask once.
    for (const gateway of [0, 1]) expect(await statusOf(askToken(gateway))).toBe(429)
    const then = await redis.callsOf('evalsha')
    for (let index = 0; index < 100; index += 1) expect(await statusOf(askToken(index))).toBe(429)
    expect(await redis.callsOf('evalsha')).toBe(then)
    expect(await redis.callsOf('eval')).toBeLessThanOrEqual(4)
  })

  test('a key in Redis names its bucket, ends within a minute, and tells no secret and no client', async () => {
    await statusOf(askToken(0))
    await statusOf(askToken(1, { ...credentialsOf(client), client_secret: 'wrong' }))
    await statusOf(system.request('/oauth/authorize', { headers: from(here) }))
    const keys = (await redis.ask('KEYS *')).filter((line) => !/^[*$]/.test(line))
    const inBucket =
      /^gatehouse:limit:over$|^gatehouse:limit:(other|authorize|failed_authentication):|^gatehouse:limit:(token|introspect):(ip:[\d.]+|[\w-]{43})$/
    for (const key of keys) {
      expect(key).toMatch(inBucket)
      const [ttl] = await redis.ask(`PTTL ${key}`)
      expect(Number(ttl?.slice(1))).toBeLessThanOrEqual(60_000)
      expect(Number(ttl?.slice(1))).not.toBe(-1)
    }
    for (const bucket of ['token', 'authorize', 'other', 'failed_authentication']) {
      expect(keys.some((key) => key.startsWith(`gatehouse:limit:${bucket}:`))).toBe(true)
    }
    const over = await redis.ask('HGETALL gatehouse:limit:over')
    expect(over.join('')).not.toContain('secret')
    const text = keys.join('\n')
    for (const { client_id, client_secret } of clients) {
      expect(text).not.toContain(client_id)
      expect(text).not.toContain(client_secret)
    }
  })

  test('a wrong secret spends a budget of its own, never the client’s', async () => {
    const wrong = { ...credentialsOf(client), client_secret: 'wrong' }
    const statuses = []
    for (let index = 0; index < 22; index += 1) statuses.push(await statusOf(askToken(index, wrong)))
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429])
    const answer = await askToken(0)
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([200, '19'])
    await answer.body?.cancel()
    // The same client by HTTP Basic, from elsewhere, at the other gateway.
    const { client_id, client_secret } = client
    const headers = { ...basic(client_id, client_secret), ...from('198.51.100.9') }
    const again = await system.form(
      `${replicas.gateways[1]}/oauth/token`,
      { grant_type: 'client_credentials' },
      headers,
    )
    expect([again.status, again.headers.get('x-ratelimit-remaining')]).toEqual([200, '18'])
    await again.body?.cancel()
  })

  test('guessers are refused unperformed, also those who do not wait for the answer', {
    timeout: 90_000,
  }, async () => {
    expect(await statusOf(askToken(0))).toBe(200)
    const failed = () => replicas.metric('oauth_failed_authentications_total')
    const counted = async () => {
      const [, value = '0'] = await redis.ask(`GET gatehouse:limit:failed_authentication:${here}`)
      return Number(value)
    }
    const [failedBefore, aloneBefore] = [await failed(), await countedAlone()]
    // One that was cut off before it was read is not performed; so guess until enough were.
    let guesses = 0
    const guessUntil = (isEnough: () => Promise<boolean>) =>
      until(async () => {
        for (let index = 0; index < 10; index += 1, guesses += 1)
          await guessAndHangUp(replicas.gateways[0], {
            clientId: client.client_id,
            secret: `guess-${guesses}`,
            from: here,
          })
        return isEnough()
      }, 30_000)
    await guessUntil(async () => (await failed()) - failedBefore >= 50)
    await until(async () => {
      const countedByGateways = (await countedAlone()) - aloneBefore
      return (await counted()) + countedByGateways >= (await failed()) - failedBefore
    }, 10_000)
    await guessUntil(async () => {
      const answer = await askToken(0, { client_id: 'x', client_secret: `guess-${guesses}` })
      await answer.body?.cancel()
      return answer.headers.get('x-ratelimit-limit') === '100'
    })

    const refused = await askToken(0, credentialsOf(other))
    expect(refused.headers.get('x-ratelimit-limit')).toBe('100')
    await expectRefusal(refused, 429, 'rate_limit_exceeded')
    // Those that were under way when the limit was reached are still performed.
    let performed = -1
    await until(async () => {
      const before = performed
      performed = await failed()
      return performed === before
    }, 10_000)
    for (let index = 0; index < 10; index += 1) {
      expect(await statusOf(askToken(0, { ...credentialsOf(client), client_secret: `more-${index}` }))).toBe(
        429,
      )
    }
    expect(await failed()).toBe(performed)
    // A client that was right a moment ago is served, and so is everybody elsewhere.
    expect(await statusOf(askToken(0))).toBe(200)
    expect(await statusOf(askToken(0, { client_id: 'x', client_secret: 'y' }, '198.51.100.10'))).toBe(401)
  })

  test('Redis may be killed and come back under load: nobody notices, and counting is exact again', async () => {
    const answers: number[] = []
    let ask = true
    const load = Array.from({ length: 8 }, async (_, caller) => {
      // None asks more often than it may, however slow all this is.
      for (let index = caller; ask && index < crowd * 20; index += 8) {
        const credentials = credentialsOf(clients[index % crowd] as RegisteredClient)
        answers.push(await statusOf(askToken(index >> 3, credentials, '198.51.100.20')))
        await sleep(40)
      }
    })
    await until(() => answers.length > 40, 10_000)
    const before = warnings().length
    await redis.kill()
    const killed = answers.length
    await until(() => answers.length > killed + 80, 10_000)
    await redis.start()
    const [alone, started] = [await countedAlone(), answers.length]
    await until(() => answers.length > started + 80, 10_000)
    ask = false
    await Promise.all(load)
    expect(new Set(answers)).toEqual(new Set([200]))
    expect(alone).toBeGreaterThan(80)
    expect(warnings().length - before).toBe(1)

    await replicas.untilCountedTogether(...replicas.gateways)
    const then = await countedAlone()
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => statusOf(askToken(index))))
    expect(statuses.filter((status) => status === 200).length).toBe(20)
    expect(await countedAlone()).toBe(then)
  })

  test('Redis may hang: requests wait for it once and not long, and it is used again', async () => {
    const ask = (credentials: RegisteredClient) =>
      Promise.all(Array.from({ length: 20 }, () => statusOf(askToken(0, credentialsOf(credentials)))))
    const milliseconds = async (work: () => Promise<unknown>) => {
      const begin = performance.now()
      await work()
      return performance.now() - begin
    }
    const usual = await milliseconds(() => ask(other))
    const before = await countedAlone()
    redis.suspend()
    let statuses: number[] = []
    const first = await milliseconds(async () => {
      statuses = await ask(client)
    })
    expect(statuses).toEqual(Array(20).fill(200))
    // Half a second, and what the machine needs.
    expect(first).toBeLessThan(900 + 3 * usual)
    const then = await milliseconds(async () => {
      for (let index = 0; index < 10; index += 1) {
        const stranger = { client_id: 'x', client_secret: `${index}` }
        expect(await statusOf(askToken(0, stranger))).toBe(401)
      }
    })
    // Each would wait for half a second or a whole one, since a wrong secret is counted twice.
    expect(then).toBeLessThan(2_500 + 3 * usual)
    redis.resume()
    expect(await countedAlone()).toBeGreaterThanOrEqual(before + 20)
    await replicas.untilCountedTogether(replicas.gateways[0])
  })

  test('the password of Redis is in no log', () => {
    expect(replicas.gatewayLog()).toContain('each gateway counts')
    expect(replicas.gatewayLog()).not.toContain(redisPassword)
    expect(replicas.gatewayLog()).not.toContain('redis://')
  })
})
