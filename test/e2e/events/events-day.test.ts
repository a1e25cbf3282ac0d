import { browse, type CookieJar, hiddenFields } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, until, untilReady } from '@gatehouse/test/oauth'
import { prepareKafka } from '@gatehouse/test/servers/kafka/broker'
import { kafkaPrograms } from '@gatehouse/test/servers/kafka/programs'
import { hasNats, prepareNats } from '@gatehouse/test/servers/nats'
import { type Collector, startCollector } from '@gatehouse/test/servers/otlp'
import { hasRabbit, prepareRabbit } from '@gatehouse/test/servers/rabbit'
import { hasRedis, startRedis } from '@gatehouse/test/servers/redis'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beginTrace } from '@gatehouse/test/traces'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addUser, authorizationRequest, password, pkce, redeem, registerApp } from '../logins/login-people.ts'
import { type Consumer, consumeKafka, consumeNats, consumeRabbit, consumeRedis } from './events-consumers.ts'

const adminPassword = 'an administrator of the day'

const programs = await kafkaPrograms()

/** A running broker, with its variables and a consumer. */
type Engine = {
  variables: Record<string, string>
  consume(): Promise<Consumer> | Consumer
  stop(): Promise<unknown>
}

/** The brokers that can run on this machine. */
const engines: Record<string, (() => Promise<Engine>) | undefined> = {
  redis: hasRedis
    ? async () => {
        const redis = await startRedis()
        return {
          variables: { OAUTH2_EVENTS_REDIS_URL: redis.url },
          consume: () => consumeRedis(redis),
          stop: redis.stop,
        }
      }
    : undefined,
  rabbit: hasRabbit
    ? async () => {
        const rabbit = await prepareRabbit()
        await rabbit.start()
        return {
          variables: { OAUTH2_EVENTS_RABBIT_URL: rabbit.url },
          consume: () => consumeRabbit(rabbit),
          stop: rabbit.close,
        }
      }
    : undefined,
  nats: hasNats
    ? async () => {
        const nats = await prepareNats()
        await nats.start()
        const { address, user, pass } = nats
        return {
          variables: { OAUTH2_EVENTS_NATS_URL: `nats://${user}:${pass}@${address}` },
          consume: () => consumeNats(nats),
          stop: nats.close,
        }
      }
    : undefined,
  kafka: programs
    ? async () => {
        const kafka = await prepareKafka(programs, { username: 'somebody', password: 'not-for-the-log' })
        await kafka.start()
        return {
          variables: { OAUTH2_EVENTS_KAFKA_BROKERS: kafka.plain },
          consume: () => consumeKafka(kafka.plain),
          stop: kafka.remove,
        }
      }
    : undefined,
}
const names = Object.keys(engines).filter((name) => engines[name])

describe('a day of events', { timeout: 60_000 }, () => {
  const running: Engine[] = []
  let collector: Collector
  let system: TestSystem
  const consumers = new Map<string, Consumer>()
  beforeAll(async () => {
    for (const name of names) running.push((await engines[name]?.()) as Engine)
    collector = await startCollector()
    system = await startTestSystem({
      ...Object.assign({}, ...running.map(({ variables }) => variables)),
      OAUTH2_EVENTS_ENABLED: 'true',
      OAUTH2_EVENTS_BACKEND: ['both', ...names].join(),
      OAUTH2_OTLP_ENDPOINT: collector.url,
      OAUTH2_SEED_PASSWORD: adminPassword,
    })
    await untilReady(system)
    await until(async () => (await unhealthy()).length === 0, 20_000)
    for (const [index, name] of names.entries())
      consumers.set(name, await (running[index] as Engine).consume())
  }, 120_000)
  afterAll(async () => {
    await Promise.all([...consumers.values()].map((consumer) => consumer.close()))
    await system?.stop()
    await collector?.close()
    await Promise.all(running.map(({ stop }) => stop()))
  })

  type Plugin = { name: string; healthy: boolean }
  const plugins = async () => {
    const health = (await (await system.request('/events/health')).json()) as {
      enabled: boolean
      plugins: Plugin[]
    }
    expect(health.enabled).toBe(true)
    return health.plugins
  }
  const unhealthy = async () => (await plugins()).filter(({ healthy }) => !healthy)

  /** The expected event types by the trace of their request, in the order of the requests. */
  const expected: { traceId: string; types: string[] }[] = []

  /** Sends one request that must emit these events. */
  async function step<Result>(
    types: string[],
    request: (headers: Record<string, string>) => Promise<Result>,
  ): Promise<Result> {
    const { traceId, headers } = beginTrace()
    expected.push({ traceId, types })
    return request(headers)
  }

  const sameOrigin = () => ({ origin: new URL(system.baseUrl).origin, 'sec-fetch-site': 'same-origin' })

  function form(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string>,
    jar: CookieJar,
  ) {
    const body = new URLSearchParams(fields)
    return browse(system, jar, path, { method: 'POST', headers: { ...sameOrigin(), ...headers }, body })
  }

  async function spendDay(): Promise<void> {
    const client = await step(['client_registered'], async (headers) => {
      const metadata = { grant_types: ['client_credentials'], scope: 'read' }
      return (await system.json('/clients/register', metadata, headers)).json() as ReturnType<
        TestSystem['register']
      >
    })
    const machine = { grant_type: 'client_credentials', ...credentialsOf(client) }
    const { access_token: token = '' } = await step(
      ['client_validated', 'token_created'],
      async (headers) =>
        (await system.form('/oauth/token', machine, headers)).json() as Promise<Record<string, string>>,
    )
    await step(['token_validated'], (headers) => system.form('/oauth/introspect', { token }, headers))
    await step(['token_revoked'], (headers) =>
      system.form('/oauth/revoke', { token, ...credentialsOf(client) }, headers),
    )
    await step([], (headers) => system.form('/oauth/introspect', { token }, headers))

    await addUser(system, 'ann')
    const jar: CookieJar = new Map()
    const login = (typed: string, types: string[]) =>
      step(types, (headers) =>
        form('/auth/login', { username: 'ann', password: typed }, headers, jar).then(({ status }) => status),
      )
    expect(await login('not hers', ['user_authentication_failed'])).not.toBe(303)
    expect(await login(password, ['user_authenticated'])).toBe(303)

    const app = await registerApp(system)
    const { verifier, challenge } = pkce()
    const ask = async (decision: 'allow' | 'deny', types: string[]) => {
      const query = new URLSearchParams(authorizationRequest(app, challenge))
      const page = await browse(system, jar, `/oauth/authorize?${query}`)
      const fields = { ...hiddenFields(await page.text()), decision }
      const answer = await step(types, (headers) => form('/oauth/consent', fields, headers, jar))
      return new URL(answer.headers.get('location') ?? '').searchParams
    }
    expect((await ask('deny', ['consent_denied'])).get('error')).toBe('access_denied')
    const code = (await ask('allow', ['consent_granted', 'authorization_code_created'])).get('code') ?? ''
    const types = ['client_validated', 'authorization_code_validated', 'token_created']
    const redeemed = await step(types, (headers) => {
      const parameters = { code, code_verifier: verifier, ...credentialsOf(app) }
      return system.form('/oauth/token', { grant_type: 'authorization_code', ...parameters }, headers)
    })
    expect(redeemed.status).toBe(200)
    const again = { code, code_verifier: verifier }
    await step(['client_validated', 'token_revoked'], () => redeem(system, credentialsOf(app), again))
    await step(['user_logout'], (headers) => form('/auth/logout', {}, headers, jar))

    const admin: CookieJar = new Map()
    await form('/auth/login', { username: 'admin', password: adminPassword }, {}, admin)
    const rotated = await step(['signing_key_rotated', 'administrator_acted'], (headers) =>
      browse(system, admin, '/admin/api/keys/rotate', {
        method: 'POST',
        headers: { ...sameOrigin(), ...headers },
      }),
    )
    expect(rotated.status).toBe(200)
  }

  test('delivers every event once to every consumer, in order and with the trace of its request', async () => {
    await spendDay()
    const traced = expected.filter(({ types }) => !types.includes('token_revoked') || types.length === 1)
    const wanted = traced.map(({ traceId, types }) => [traceId, types.toSorted()])
    for (const [name, consumer] of consumers) {
      const seen = async () => {
        const events = await consumer.events()
        const of = (traceId: string) => events.filter((event) => event.traceparent?.includes(traceId))
        return [
          name,
          traced.map(({ traceId }) => [
            traceId,
            of(traceId)
              .map(({ type }) => type)
              .toSorted(),
          ]),
        ]
      }
      await expect.poll(seen, { timeout: 15_000 }).toEqual([name, wanted])
      const events = await consumer.events()
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
      expect(events.map(({ envelope }) => envelope.event.id)).toEqual(events.map(({ id }) => id))
      expect(events.map(({ key }) => key)).toEqual(events.map(({ id }) => id))
      // Order is guaranteed only among the events of one process, without those that are stored with an audit entry.
      for (const producer of new Set(events.map((event) => event.producer))) {
        const times = events
          .filter((event) => event.producer === producer && event.type !== 'administrator_acted')
          .map(({ envelope }) => envelope.event.timestamp)
        expect([name, producer, times]).toEqual([name, producer, times.toSorted()])
      }
    }
  })

  test('names every plugin in the health answer, and counts the events of each', async () => {
    const all = ['in_memory', 'console', ...names]
    expect(await plugins()).toEqual(all.map((name) => ({ name, healthy: true })))
    const metrics = await (await system.request('/metrics')).text()
    const [events = []] = await Promise.all([...consumers.values()].map((consumer) => consumer.events()))
    for (const backend of all) {
      const pattern = new RegExp(
        `oauth2_server_events_published_total\\{[^}]*backend="${backend}"[^}]*outcome="delivered"[^}]*\\} (\\d+)`,
      )
      expect([backend, Number(pattern.exec(metrics)?.[1]) >= events.length]).toEqual([backend, true])
    }
  })
})
