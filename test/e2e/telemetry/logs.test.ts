import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { basic, until, untilReady } from '@gatehouse/test/oauth'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { type Collector, startCollector } from '@gatehouse/test/servers/otlp'
import { startTcpProxy, type TcpProxy } from '@gatehouse/test/servers/tcp-proxy'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Day, linesOf, outputOf, piecesIn, secret, spendDay } from './logs-day.ts'

const admin = { username: 'admin', password: secret() }
const registrationToken = secret()
const configured = {
  OAUTH2_JWT_SECRET: secret(),
  OAUTH2_SESSION_KEY: secret(),
  OAUTH2_SEED_PASSWORD: admin.password,
  OAUTH2_REGISTRATION_TOKEN: registrationToken,
}
const redisPassword = secret()

let database: TestDatabase
let proxy: TcpProxy
let collector: Collector
let system: TestSystem
let day: Day

beforeAll(async () => {
  database = await createDatabase()
  collector = await startCollector()
  const url = new URL(database.url)
  proxy = await startTcpProxy(url.hostname, Number(url.port))
  url.host = `127.0.0.1:${proxy.port}`
  system = await startTestSystem({
    ...configured,
    LOG_LEVEL: 'trace',
    OAUTH2_DATABASE_URL: url.href,
    // No server listens there.
    OAUTH2_REDIS_URL: `redis://:${redisPassword}@127.0.0.1:1`,
    OAUTH2_REGISTRATION: 'token',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    OAUTH2_PASSWORD_GRANT_ENABLED: 'true',
    OAUTH2_RATE_LIMIT_ENABLED: 'true',
    OAUTH2_RATE_LIMIT_TOKEN: '1000',
    OAUTH2_RATE_LIMIT_AUTHORIZE: '1000',
    OAUTH2_RATE_LIMIT_OTHER: '1000',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  await untilReady(system)
  day = await spendDay(system, admin, registrationToken)
  for (const value of [...Object.values(configured), redisPassword, url.password]) day.secrets.add(value)
})
afterAll(async () => {
  await system?.stop()
  await collector?.close()
  await proxy?.close()
  await database?.drop()
})

type Line = Record<string, unknown> & { route?: string; status?: number; outcome?: string; reason?: string }
const requests = async (): Promise<Line[]> =>
  (await linesOf(system, 'gateway')).filter(
    ({ msg, route }) => msg === 'request' && !`${route}`.match(/^\/(ready|metrics)$/),
  )

test('logs every request in one line with its route, status, duration and trace', async () => {
  await until(async () => (await requests()).length >= day.requests, 5_000)
  const lines = await requests()
  const whole = lines.filter(({ method }) => method !== undefined)
  for (const line of whole) {
    expect(line).toMatchObject({
      service: 'gateway',
      method: expect.stringMatching(/^[A-Z]+$/),
      route: expect.stringMatching(/^(none|\/[\w./:-]+)$/),
      status: expect.any(Number),
      ms: expect.any(Number),
    })
    // Frequent probes are not traced.
    if (line.route !== '/health') expect(line.trace_id).toMatch(/^[0-9a-f]{32}$/)
  }
  // An unreadable request has neither a method nor a trace.
  const unreadable = lines.filter(({ method }) => method === undefined)
  expect(unreadable.map(({ status, route }) => [status, route]).sort()).toEqual([
    [400, 'none'],
    [431, 'none'],
  ])
  expect(whole.length).toBe(day.requests)
  const traces = new Set(whole.map(({ trace_id }) => trace_id).filter(Boolean))
  const arrived = () => new Set<unknown>(collector.spans.map(({ traceId }) => traceId))
  await until(() => {
    const there = arrived()
    return [...traces].every((trace) => there.has(trace))
  }, 10_000)
})

test('names a client only after it has authenticated, or where it is known otherwise', async () => {
  const lines = await requests()
  const named = new Set(lines.map(({ client_id }) => client_id).filter(Boolean))
  expect(named).toEqual(new Set([day.client.client_id]))
  for (const line of lines) {
    if (line.route === '/oauth/token' && line.status === 200)
      expect(line.client_id).toBe(day.client.client_id)
    if (line.outcome === 'invalid_client') expect(line).not.toHaveProperty('client_id')
    if (line.outcome === 'invalid_grant' || line.outcome === 'invalid_scope')
      expect(line.client_id).toBe(day.client.client_id)
  }
  expect(lines.find(({ route, status }) => route === '/clients/register' && status === 201)).toHaveProperty(
    'client_id',
  )
})

test('logs every refusal with its code and its reason', async () => {
  const refused = (await requests()).filter(({ status = 0 }) => status >= 400)
  expect(refused.length).toBeGreaterThanOrEqual(20)
  for (const line of refused) {
    expect(line.outcome, JSON.stringify(line)).toMatch(/^[a-z_]+$/)
    expect(line.reason, JSON.stringify(line)).toMatch(/.{8,}/)
  }
  for (const line of await requests())
    if ((line.status ?? 0) < 300) expect(line).not.toHaveProperty('outcome')
})

test('logs in the service what the caller is not told', async () => {
  const details = async (name: string) =>
    (await linesOf(system, name)).map(({ detail }) => detail).filter(Boolean)
  const { client_id } = day.client
  const ofToken = await details('token')
  expect(ofToken).toEqual(
    expect.arrayContaining([
      'no such client',
      `${client_id} did not authenticate`,
      'the code_verifier is wrong',
      'the code was redeemed before',
      'the grant is revoked',
    ]),
  )
  expect(new Set(await details('identity'))).toEqual(new Set(['no such user', 'wrong password']))
  const line = (await linesOf(system, 'token')).find(({ detail }) => detail === 'no such client')
  expect(line?.trace_id).toMatch(/^[0-9a-f]{32}$/)
})

test('writes no secret, nor a part of one, into any output, metric, trace or error, even while everything fails', {
  timeout: 60_000,
}, async () => {
  await proxy.cut()
  const outage = [secret(), secret(), secret(), secret()] as const
  for (const value of outage) day.secrets.add(value)
  const { client_id, client_secret } = day.client
  const failing = await Promise.all([
    system.form('/oauth/token', { grant_type: 'client_credentials' }, basic(client_id, client_secret)),
    system.form('/oauth/token', {
      grant_type: 'authorization_code',
      code: outage[0],
      code_verifier: outage[1],
      redirect_uri: 'https://app.example/cb',
      client_id,
      client_secret,
    }),
    system.form('/oauth/token', { grant_type: 'password', ...admin, client_id, client_secret }),
    system.form('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: outage[2],
      client_id,
      client_secret,
    }),
    system.form('/oauth/introspect', { token: outage[3] }),
    system.json(
      '/clients/register',
      { client_name: randomUUID(), grant_types: ['client_credentials'] },
      { authorization: `Bearer ${registrationToken}` },
    ),
  ])
  for (const response of failing) day.refusals.push(await response.text())
  expect(failing.filter(({ status }) => status >= 500).length).toBeGreaterThanOrEqual(4)
  await proxy.mend()
  await untilReady(system)
  // The traces are sent a little later.
  await sleep(1_500)

  const output = await outputOf(system)
  output.set('errors', day.refusals.join('\n'))
  output.set('traces', collector.payloads.join('\n'))
  expect([...output.keys()]).toEqual(
    expect.arrayContaining(['gateway.log', 'token.log', 'identity.log', 'traces']),
  )
  expect(day.secrets.size).toBeGreaterThan(50)
  for (const [name, text] of output) {
    expect(text.length, name).toBeGreaterThan(100)
    expect(piecesIn(text, day.secrets), name).toEqual([])
  }
})

test('finds a part of a secret', () => {
  expect(piecesIn('{"msg":"abcdefghijkl"}', ['xx-abcdefghijkl'])).toEqual(['abcdefghijkl'])
})
