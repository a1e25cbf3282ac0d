import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimsOf } from '@gatehouse/test/jwt'
import { type Attempt, type Load, startLoad } from '@gatehouse/test/load'
import { credentialsOf, introspectionOf, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { signalTree } from '@gatehouse/test/programs/signals'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

const secrets = {
  OAUTH2_JWT_SECRET: 'jwt-secret-that-must-not-be-in-any-log-0123456789',
  OAUTH2_SESSION_KEY: 'session-key-that-must-not-be-in-any-log-0123456789',
  OAUTH2_SEED_PASSWORD: 'admin-password-that-must-not-be-in-any-log',
}
/** A deadline of 5 s, plus the time to answer, in milliseconds. */
const longestAnswer = 6_000

let system: TestSystem
let client: RegisteredClient
let load: Load
beforeAll(async () => {
  // Without the tests' database it starts an embedded PostgreSQL.
  system = await startTestSystem({ OAUTH2_DATABASE_URL: '', ...secrets })
  await untilReady(system)
  client = await system.register()
  load = startLoad(system, client)
  await until(() => load.tokens.length > 50, 10_000)
})
afterAll(async () => {
  await load?.stop()
  await system?.stop()
})

/** Expects only answers that are allowed while something is away. */
function expectPolite(attempts: readonly Attempt[], options: { connectionErrors?: boolean } = {}): void {
  const rude = attempts.filter(({ status, error, retryAfter, took }) => {
    if (took > longestAnswer) return true
    if (status === 503) return error !== 'temporarily_unavailable' || !/^[1-9]\d*$/.test(retryAfter ?? '')
    return status !== 200 && !(status === 0 && options.connectionErrors)
  })
  expect(rude.slice(0, 5)).toEqual([])
}

/** Causes a fault, waits until the load gets tokens again by itself, and returns all answers until then. */
async function during(harm: () => Promise<unknown> | unknown): Promise<Attempt[]> {
  const from = load.attempts.length
  await harm()
  await untilReady(system)
  const issued = load.tokens.length
  await until(() => load.tokens.length > issued + 40, 15_000)
  // By then, requests that were open during the fault have ended too.
  const late = performance.now()
  await until(() => load.attempts.some(({ at }) => at > late), 10_000)
  return load.attempts.slice(from)
}

/** Expects that every issued token is stored and active. */
async function expectNothingLost(): Promise<void> {
  const tokens = [...load.tokens]
  const database = new Client(system.databaseUrl)
  await database.connect()
  const { rows } = await database
    .query(
      'select count(*)::int as count from token.access_tokens where jti = any ($1::uuid[]) and revoked_at is null',
      [tokens.map((token) => claimsOf(token).jti)],
    )
    .finally(() => database.end())
  expect(rows[0].count).toBe(tokens.length)
  for (let start = 0; start < tokens.length; start += 50) {
    const answers = await Promise.all(
      tokens.slice(start, start + 50).map((token) => introspectionOf(system, token)),
    )
    expect(answers.filter((answer) => !answer.startsWith('{"active":true,'))).toEqual([])
  }
}

for (const name of ['gateway', 'token', 'client-registry', 'identity', 'events'] as const) {
  test(`recovers when ${name} is killed: callers are told to try again, and no token is lost`, {
    timeout: 40_000,
  }, async () => {
    const service = system.processes.find((one) => one.name === name)
    const pid = service?.pid as number
    const attempts = await during(async () => {
      process.kill(pid, 'SIGKILL')
      await until(() => service?.pid !== undefined && service.pid !== pid, 10_000)
    })
    expectPolite(attempts, { connectionErrors: name === 'gateway' })
    // These two have no part in issuing a token.
    if (name === 'identity' || name === 'events')
      expect(attempts.filter(({ status }) => status !== 200)).toEqual([])
    expect(JSON.parse(await introspectionOf(system, await issueToken(system, client))).active).toBe(true)
  })
}

test('recovers when PostgreSQL is killed: callers are told to try again', { timeout: 40_000 }, async () => {
  const { postgres } = system
  const pid = postgres?.pid as number
  const attempts = await during(async () => {
    process.kill(pid, 'SIGKILL')
    await until(() => postgres?.pid !== 0 && postgres?.pid !== pid, 15_000)
  })
  expectPolite(attempts)
})

type Health = { services: Record<string, string> }

/** The answer to each kind of request while something hangs, and the longest time that one takes. */
async function answersNow(token: string, unwanted: string) {
  const requests = {
    token: () => system.form('/oauth/token', { grant_type: 'client_credentials', ...credentialsOf(client) }),
    introspect: () => system.form('/oauth/introspect', { token }),
    revoke: () => system.form('/oauth/revoke', { token: unwanted, ...credentialsOf(client) }),
    ready: () => system.request('/ready'),
    health: () => system.request('/health'),
  }
  const entries = await Promise.all(
    Object.entries(requests).map(async ([name, request]) => {
      const began = performance.now()
      const response = await request()
      const body = (await response.json()) as Record<string, unknown>
      return [name, { status: response.status, body, took: performance.now() - began }] as const
    }),
  )
  return Object.fromEntries(entries)
}

for (const name of ['PostgreSQL', 'the token service'] as const) {
  test(`answers every request in time while ${name} hangs, and recovers when it continues`, {
    timeout: 40_000,
  }, async () => {
    const pid = (
      name === 'PostgreSQL' ? system.postgres : system.processes.find((one) => one.name === 'token')
    )?.pid as number
    // A hanging service is not reported as a lost database, nor the other way round.
    const lost = name === 'PostgreSQL'
    const services = { token: lost ? 'database_unavailable' : 'unavailable', events: 'available' }
    await untilReady(system)
    const token = await issueToken(system, client)
    // A revocation that is answered with 503 may still take effect.
    const unwanted = await issueToken(system, client)
    const attempts = await during(async () => {
      signalTree(pid, 'SIGSTOP')
      try {
        // The probes keep what they saw for a while.
        await until(async () => {
          const health = (await system.request('/health').then((response) => response.json())) as Health
          return health.services.token === services.token
        }, 15_000)
        const answers = await answersNow(token, unwanted)
        const unavailable = {
          status: 503,
          body: expect.objectContaining({ error: 'temporarily_unavailable' }),
        }
        expect(answers).toMatchObject({
          token: unavailable,
          introspect: unavailable,
          revoke: unavailable,
          ready: { status: 503, body: { ready: false } },
          health: { status: 200, body: { status: 'degraded' } },
        })
        expect(answers).toMatchObject({
          ready: { body: { database: lost ? 'unavailable' : 'ready', services } },
          health: { body: { database: lost ? 'disconnected' : 'connected', services } },
        })
        for (const { took } of Object.values(answers)) expect(took).toBeLessThan(longestAnswer)
        expect(answers.health?.took).toBeLessThan(1_000)
        expect(answers.ready?.took).toBeLessThan(2_000)
      } finally {
        signalTree(pid, 'SIGCONT')
      }
    })
    expectPolite(attempts)
    expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
  })
}

test('serves known clients for 5 s more while the client registry hangs, and does not reject unknown ones as wrong', {
  timeout: 40_000,
}, async () => {
  const pid = system.processes.find(({ name }) => name === 'client-registry')?.pid as number
  const ask = async (credentials: RegisteredClient) => {
    const began = performance.now()
    const form = { grant_type: 'client_credentials', ...credentialsOf(credentials) }
    const response = await system.form('/oauth/token', form)
    const { error } = (await response.json()) as { error?: string }
    expect(performance.now() - began).toBeLessThan(longestAnswer)
    return [response.status, error]
  }
  const stranger = { client_id: 'client_11111111-1111-4111-8111-111111111111', client_secret: 'unknown' }
  const attempts = await during(async () => {
    signalTree(pid, 'SIGSTOP')
    try {
      // Longer than a cached client is used without asking, and well within the 5 s.
      await sleep(2_000)
      expect(await ask(client)).toEqual([200, undefined])
      expect(await ask(stranger)).toEqual([503, 'temporarily_unavailable'])
      await until(async () => (await ask(client))[0] === 503, 15_000)
      expect(await ask(client)).toEqual([503, 'temporarily_unavailable'])
    } finally {
      signalTree(pid, 'SIGCONT')
    }
  })
  expectPolite(attempts)
})

test('has every issued token stored and active after all faults', { timeout: 40_000 }, async () => {
  await load.stop()
  expect(load.tokens.length).toBeGreaterThan(1_000)
  expect(new Set(load.tokens).size).toBe(load.tokens.length)
  await expectNothingLost()
})

test('writes no secret, nor a part of one, into a log', async () => {
  const wrongSecret = 'wrong-secret-that-must-not-be-in-any-log'
  const refused = await system.form('/oauth/token', {
    grant_type: 'client_credentials',
    client_id: client.client_id,
    client_secret: wrongSecret,
  })
  expect(refused.status).toBe(401)
  const { tokens } = load
  const pieces = [
    client.client_secret,
    wrongSecret,
    decodeURIComponent(new URL(system.databaseUrl).password),
    ...Object.values(secrets),
    // All tokens begin alike, and so do their claims, but not their signatures.
    ...(tokens[0] as string).split('.'),
    ...tokens.filter((_, index) => index % 20 === 0).map((token) => token.split('.')[2] as string),
  ].map((text) => text.slice(0, 12))
  const directory = join(system.dataDirectory, 'logs')
  const files = readdirSync(directory)
  expect(files).toEqual(expect.arrayContaining(['gateway.log', 'token.log', 'postgres.log']))
  const logs = files.map((file) => [file, readFileSync(join(directory, file), 'latin1')] as const)
  for (const [file, text] of logs) {
    expect(
      pieces.filter((piece) => text.includes(piece)),
      file,
    ).toEqual([])
  }
})
