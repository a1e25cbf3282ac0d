import { once } from 'node:events'
import { connect } from 'node:net'
import { logIn } from '@gatehouse/test/browser/browser-login'
import { basic, credentialsOf, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { hasPrometheus, runPromtool } from '@gatehouse/test/servers/prometheus'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addPerson,
  codeFor,
  type Person,
  password,
  redeem,
  refresh,
  registerApp,
} from '../logins/login-people.ts'
import { expositions, figure, type Samples, samplesOf } from './metrics-samples.ts'

let system: TestSystem
let client: RegisteredClient
let person: Person

beforeAll(async () => {
  system = await startTestSystem({
    // Each test uses addresses of its own.
    OAUTH2_SERVER_TRUST_PROXY_HEADERS: 'true',
    OAUTH2_RATE_LIMIT_ENABLED: 'true',
    OAUTH2_RATE_LIMIT_INTROSPECT: '10',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    OAUTH2_PASSWORD_GRANT_ENABLED: 'true',
    OAUTH2_EVENTS_ENABLED: 'true',
    OAUTH2_RESILIENCE_ENABLED: 'true',
    OAUTH2_RESILIENCE_BREAKER_OPEN_MS: '500',
    OAUTH2_RESILIENCE_BULKHEAD_CALLS: '16',
    OAUTH2_RESILIENCE_BULKHEAD_WAITING: '0',
    OAUTH2_RESILIENCE_MAX_REQUESTS: '20',
    OAUTH2_RESILIENCE_MAX_WAITING: '0',
  })
  await untilReady(system)
  client = await registerApp(system)
  person = await addPerson(system)
})
afterAll(() => system?.stop())

/** A header that makes a request come from this address. */
const from = (address: string) => ({ 'x-forwarded-for': address })

function processOf(name: string) {
  const found = system.processes.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

type Processes = Pick<TestSystem, 'processes'>

/** Only the gateway, which answers even when the services do not. */
const gateway = (): Processes => ({ processes: [processOf('gateway')] })

/** The growth of the metrics of the system or a part of it. A series that did not exist began at 0. */
async function growth(work: () => Promise<unknown>, part: Processes = system) {
  const before = await samplesOf(part)
  await work()
  const after = await samplesOf(part)
  return (name: string, labels: Record<string, string> = {}) =>
    (figure(after, name, labels) ?? Number.NaN) - (figure(before, name, labels) ?? 0)
}

/** Waits until the metrics meet a condition. */
async function untilIs(isSo: (samples: Samples) => boolean, part: Processes = system): Promise<void> {
  await until(async () => isSo(await samplesOf(part)), 15_000)
}

test('counts issued tokens by grant, and requests by route and status', async () => {
  const grew = await growth(async () => {
    await issueToken(system, client)
    await issueToken(system, client)
    const answer = await redeem(system, client, await codeFor(system, person, client))
    const { refresh_token } = (await answer.json()) as { refresh_token: string }
    await refresh(system, client, refresh_token)
    const { username } = person
    const form = { grant_type: 'password', username, password, ...credentialsOf(client) }
    expect((await system.form('/oauth/token', form)).status).toBe(200)
  })
  const issued = (grant_type: string) => grew('oauth_token_issued_total', { grant_type })
  expect(issued('client_credentials')).toBe(2)
  expect(issued('authorization_code')).toBe(1)
  expect(issued('refresh_token')).toBe(1)
  expect(issued('password')).toBe(1)
  expect(grew('oauth_authorization_codes_issued_total')).toBe(1)
  const route = { method: 'POST', route: '/oauth/token' }
  expect(grew('http_requests_total', { ...route, status: '200' })).toBe(5)
  expect(grew('http_request_duration_seconds_count', route)).toBe(5)
  expect(grew('http_request_duration_seconds_sum', route)).toBeGreaterThan(0)

  expect(grew('actor_messages_total', { actor: 'token', message: 'Issue', outcome: 'ok' })).toBe(5)
  expect(grew('actor_message_duration_seconds_count', { actor: 'token', message: 'Issue' })).toBe(5)
  expect(grew('db_query_duration_seconds_count', { operation: 'insert_access_tokens' })).toBe(2)
  expect(grew('db_query_duration_seconds_sum')).toBeGreaterThan(0)
  expect(grew('db_pool_wait_seconds_count')).toBeGreaterThan(0)
})

test('counts revocations, and failed authentications by kind', async () => {
  const token = await issueToken(system, client)
  const grew = await growth(async () => {
    await system.form('/oauth/revoke', { token, ...credentialsOf(client) })
    await system.form('/oauth/token', { grant_type: 'client_credentials' }, basic(client.client_id, 'wrong'))
    const login = logIn(system, person.username, 'the wrong password')
    await expect(login).rejects.toThrow(/401/)
  })
  expect(grew('oauth_token_revoked_total')).toBe(1)
  expect(grew('oauth_failed_authentications_total', { kind: 'client' })).toBe(1)
  expect(grew('oauth_failed_authentications_total', { kind: 'user' })).toBe(1)
})

test('counts the first look-up of a client as a cache miss, and the next as a hit', async () => {
  const fresh = await system.register(undefined)
  const first = await growth(() => issueToken(system, fresh))
  expect(first('cache_misses_total', { cache: 'client' })).toBe(1)
  const second = await growth(() => issueToken(system, fresh))
  expect(second('cache_hits_total', { cache: 'client' })).toBe(1)
  expect(second('cache_misses_total', { cache: 'client' })).toBe(0)
})

test('counts an event when a backend has it, and drops none', async () => {
  const delivered = { backend: 'in_memory', outcome: 'delivered' }
  const before = figure(await samplesOf(system), 'events_published_total', delivered) ?? 0
  await issueToken(system, client)
  // One event for the authenticated client, and one for the token.
  await untilIs((samples) => (figure(samples, 'events_published_total', delivered) ?? 0) >= before + 2)
  expect(figure(await samplesOf(system), 'events_dropped_total')).toBe(0)
})

test('shows the calls that a service is working on in the depth of its mailbox', async () => {
  let busy = true
  const logins = Array.from({ length: 4 }, async () => {
    while (busy) await logIn(system, person.username, password).catch(() => undefined)
  })
  await untilIs((samples) => (figure(samples, 'actor_mailbox_depth', { actor: 'identity' }) ?? 0) > 0)
  busy = false
  await Promise.all(logins)
  await untilIs((samples) => figure(samples, 'actor_mailbox_depth', { actor: 'identity' }) === 0)
})

test('counts a rate-limit refusal in its bucket', async () => {
  const other = await system.register(undefined)
  const times = (count: number, request: (index: number) => Promise<Response>) =>
    Promise.all(Array.from({ length: count }, (_, index) => request(index)))
  const inTurn = async (count: number, request: (index: number) => Promise<Response>) => {
    for (let done = 0; done < count; done += 20) await times(Math.min(20, count - done), request)
  }
  const form = { grant_type: 'client_credentials', ...credentialsOf(other) }
  const grew = await growth(async () => {
    await inTurn(11, () => system.request('/oauth/authorize', { headers: from('192.0.2.1') }))
    await inTurn(21, () => system.form('/oauth/token', form))
    await inTurn(11, () => system.form('/oauth/introspect', { token: 'x' }, from('192.0.2.2')))
    await inTurn(101, () => system.request('/health', { headers: from('192.0.2.3') }))
    const guess = (index: number) => ({ ...form, client_secret: `guess-${index}` })
    await inTurn(101, (index) => system.form('/oauth/token', guess(index), from('192.0.2.4')))
  })
  for (const bucket of ['authorize', 'token', 'introspect', 'other', 'failed_authentication']) {
    expect(grew('rate_limit_rejected_total', { bucket }), bucket).toBe(1)
  }
})

test('shows for a hanging service that its bulkhead refuses and its circuit opens, and closes again', async () => {
  const { pid } = processOf('events')
  const health = (index: number) => system.request('/events/health', { headers: from(`198.51.100.${index}`) })
  const state = (samples: Samples) => figure(samples, 'circuit_breaker_state', { circuit: 'events' })
  const grew = await growth(async () => {
    process.kill(pid as number, 'SIGSTOP')
    try {
      await Promise.all(Array.from({ length: 20 }, (_, index) => health(index)))
      await untilIs((samples) => (state(samples) ?? 0) > 0, gateway())
    } finally {
      process.kill(pid as number, 'SIGCONT')
    }
  }, gateway())
  expect(grew('bulkhead_rejected_total', { bulkhead: 'events' })).toBe(4)
  expect(grew('circuit_breaker_trips_total', { circuit: 'events' })).toBeGreaterThanOrEqual(1)
  let index = 100
  await until(async () => {
    index += 1
    return (await health(index)).status === 200 && state(await samplesOf(system)) === 0
  }, 10_000)
})

test('counts the requests that the gateway refuses because there are too many at once', async () => {
  const { pid } = processOf('token')
  const guess = (index: number) => ({ ...credentialsOf(client), client_secret: `late-guess-${index}` })
  const grew = await growth(async () => {
    process.kill(pid as number, 'SIGSTOP')
    try {
      const asked = Array.from({ length: 30 }, (_, index) =>
        system.form('/oauth/token', { grant_type: 'client_credentials', ...guess(index) }),
      )
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set([503]))
    } finally {
      process.kill(pid as number, 'SIGCONT')
    }
  }, gateway())
  expect(grew('back_pressure_rejected_total')).toBe(10)
  await until(async () => {
    const form = { grant_type: 'client_credentials', ...credentialsOf(client) }
    return (await system.form('/oauth/token', form)).status === 200
  }, 10_000)
})

test('counts a request whose caller does not wait for the answer', async () => {
  const { port } = new URL(system.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const head = ['host: x', 'content-type: application/json', 'content-length: 100']
  socket.write(`POST /clients/register HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n{`)
  // After this, the gateway has read the request.
  await system.request('/health')
  const gone = { route: '/clients/register', status: '499' }
  socket.destroy()
  await untilIs((samples) => figure(samples, 'http_requests_total', gone) === 1)
})

test('reports the number of active tokens and of clients by the elected replica', {
  timeout: 40_000,
}, async () => {
  await issueToken(system, client)
  // The services count every half minute, and when they start.
  for (const name of ['token', 'client-registry']) {
    const { pid } = processOf(name)
    process.kill(pid as number, 'SIGKILL')
  }
  await until(async () => {
    const samples = await samplesOf(system).catch(() => undefined)
    if (samples === undefined) return false
    const clients = figure(samples, 'oauth_clients_total')
    return (figure(samples, 'oauth_active_tokens') ?? 0) > 0 && clients === 3
  }, 30_000)
})

test('shows the release of every process', async () => {
  for (const [name, text] of Object.entries(await expositions(system)))
    expect(text, name).toMatch(/^oauth2_server_build_info\{version="\d+\.\d+\.\d+.*",node="v24\..*"\} 1$/m)
})

test.skipIf(!hasPrometheus)(
  'passes promtool for every process and for all together, except for one name',
  async () => {
    const texts = await expositions(system)
    texts.whole = await (await system.request('/metrics', { headers: from('192.0.2.9') })).text()
    expect(Object.keys(texts)).toHaveLength(6)
    // Dashboards use this name, so it stays although it breaks the rule.
    const known = 'oauth2_server_oauth_clients_total non-counter metrics should not have "_total" suffix\n'
    for (const [name, text] of Object.entries(texts)) {
      const complaint = text.includes('oauth_clients_total') ? known : ''
      expect(await runPromtool(['check', 'metrics'], text), name).toEqual({
        ok: complaint === '',
        output: complaint,
      })
    }
  },
)
