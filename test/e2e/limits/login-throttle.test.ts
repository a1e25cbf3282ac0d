import { browse, type CookieJar } from '@gatehouse/test/browser/browser-login'
import { credentialsOf } from '@gatehouse/test/oauth'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  addUser,
  password,
  query,
  registerApp,
  startTwoReplicas,
  type TwoReplicas,
} from '../logins/login-people.ts'

let replicas: TwoReplicas
let system: TestSystem
let client: RegisteredClient
beforeAll(async () => {
  replicas = await startTwoReplicas({
    OAUTH2_SERVER_TRUST_PROXY_HEADERS: 'true',
    OAUTH2_PASSWORD_GRANT_ENABLED: 'true',
  })
  system = replicas.system
  client = await registerApp(system)
})
afterAll(() => replicas?.stop())

let address = 0
let here: string
// Each test has an address and a user of its own, so that no test throttles another.
beforeEach(() => {
  address += 1
  here = `203.0.113.${address}`
})

type Attempt = { username: string; password: string; from?: string; gateway?: number; jar?: CookieJar }

/** Sends the login form to one of the gateways and accepts JSON. */
function attempt({ from = here, gateway = 0, jar = new Map(), ...fields }: Attempt): Promise<Response> {
  return browse(system, jar, `${replicas.gateways[gateway % 2]}/auth/login`, {
    method: 'POST',
    headers: { accept: 'application/json', origin: system.baseUrl, 'x-forwarded-for': from },
    body: new URLSearchParams(fields),
  })
}

/** Tries the same credentials with the password grant. */
function attemptByGrant({ from = here, gateway = 0, username, password }: Attempt): Promise<Response> {
  const form = { grant_type: 'password', ...credentialsOf(client), username, password }
  return system.form(`${replicas.gateways[gateway % 2]}/oauth/token`, form, { 'x-forwarded-for': from })
}

async function statusOf(response: Response | Promise<Response>): Promise<number> {
  const { status, body } = await response
  await body?.cancel()
  return status
}

/** Fails so many times, alternating between the gateways, and returns the statuses. */
async function fail(count: number, username: string, changes: Partial<Attempt> = {}): Promise<number[]> {
  const statuses: number[] = []
  for (let gateway = 0; gateway < count; gateway += 1) {
    statuses.push(await statusOf(attempt({ username, password: 'wrong', gateway, ...changes })))
  }
  return statuses
}

test('throttles even the right password after ten wrong ones at either gateway', async () => {
  await addUser(system, 'ten')
  expect(await fail(10, 'ten')).toEqual(Array(10).fill(401))
  for (const gateway of [0, 1]) {
    const refused = await attempt({ username: 'ten', password, gateway })
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: 'rate_limit_exceeded', error_description: expect.stringMatching(/try again later/) },
    ])
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(800)
    expect(seconds).toBeLessThanOrEqual(900)
    expect(refused.headers.getSetCookie()).toEqual([])
  }
  // Neither another case of the name nor another form of the forwarded address helps.
  expect(await statusOf(attempt({ username: 'TEN', password }))).toBe(429)
  expect(await statusOf(attempt({ username: 'ten', password, from: `198.51.100.7, ${here}` }))).toBe(429)
  // Others are not affected.
  expect(await statusOf(attempt({ username: 'ten', password, from: '198.51.100.1' }))).toBe(303)
  await addUser(system, 'eleven')
  expect(await statusOf(attempt({ username: 'eleven', password }))).toBe(303)
})

test('shows on the page how long to wait, and keeps the name', async () => {
  await addUser(system, 'page')
  await fail(10, 'page')
  const response = await browse(system, new Map(), '/auth/login', {
    method: 'POST',
    headers: { origin: system.baseUrl, 'x-forwarded-for': here },
    body: new URLSearchParams({ username: 'page', password }),
  })
  expect([response.status, await response.text()]).toEqual([
    429,
    expect.stringMatching(/role="alert".*in 1[45] minutes[\s\S]*value="page"/),
  ])
})

test('checks only ten of thirty wrong passwords at once on both gateways', async () => {
  await addUser(system, 'parallel')
  const statuses = await Promise.all(
    Array.from({ length: 30 }, (_, gateway) =>
      statusOf(attempt({ username: 'parallel', password: 'wrong', gateway })),
    ),
  )
  expect(statuses.sort()).toEqual([...Array(10).fill(401), ...Array(20).fill(429)])
})

test('restarts the count after a right password', async () => {
  await addUser(system, 'anew')
  for (let round = 0; round < 2; round += 1) {
    expect(await fail(9, 'anew')).toEqual(Array(9).fill(401))
    expect(await statusOf(attempt({ username: 'anew', password }))).toBe(303)
  }
})

test('counts unknown names like known ones, so the count reveals nothing', async () => {
  expect(await fail(11, 'nobody-of-this-name')).toEqual([...Array(10).fill(401), 429])
})

test('shares the count between the password grant and the login page', async () => {
  await addUser(system, 'shared')
  await fail(5, 'shared')
  for (let gateway = 0; gateway < 5; gateway += 1) {
    const wrong = await attemptByGrant({ username: 'shared', password: 'wrong', gateway })
    expect(await statusOf(wrong)).toBe(400)
  }
  const refused = await attemptByGrant({ username: 'shared', password })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
  expect(await statusOf(attempt({ username: 'shared', password }))).toBe(429)
})

test('throttles every name from an address with fifty failures', async () => {
  for (let name = 0; name < 5; name += 1) await fail(10, `guess-${name}`)
  await addUser(system, 'fifty')
  expect(await statusOf(attempt({ username: 'fifty', password }))).toBe(429)
  expect(await statusOf(attempt({ username: 'fifty', password, from: '198.51.100.50' }))).toBe(303)
})

test('counts the addresses of one IPv6 network together', async () => {
  await addUser(system, 'six')
  for (let host = 1; host <= 10; host += 1) {
    const from = `2001:db8:0:${address}::${host.toString(16)}`
    expect(await statusOf(attempt({ username: 'six', password: 'wrong', from }))).toBe(401)
  }
  const neighbour = { username: 'six', password, from: `2001:db8:0:${address}:ffff::1` }
  expect(await statusOf(attempt(neighbour))).toBe(429)
  expect(await statusOf(attempt({ ...neighbour, from: '2001:db8:1::1' }))).toBe(303)
})

test('accepts only browsers that know the user after two hundred failures from many addresses', async () => {
  await addUser(system, 'famous')
  await addUser(system, 'other')
  const knownOf = async (username: string) => {
    const jar: CookieJar = new Map()
    expect(await statusOf(attempt({ username, password, jar }))).toBe(303)
    return jar.get('gatehouse_known') ?? ''
  }
  const known = await knownOf('famous')
  const someoneElse = await knownOf('other')
  // The state after two hundred failures from other addresses.
  await query(
    system,
    `insert into identity.login_failures (kind, key_digest, failures, window_ends)
     values ('user', sha256('famous'), 200, now() + interval '15 minutes')
     on conflict (kind, key_digest) do update set failures = 200, window_ends = excluded.window_ends`,
  )
  const withCookie = (cookie: string, gateway: number) => {
    const jar: CookieJar = new Map([['gatehouse_known', cookie]])
    return statusOf(attempt({ username: 'famous', password, gateway, jar }))
  }
  const unsigned = known.split('.')[0] ?? ''
  const tampered = known.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  for (const gateway of [0, 1]) {
    expect(await statusOf(attempt({ username: 'famous', password, gateway }))).toBe(429)
    for (const cookie of [someoneElse, unsigned, tampered])
      expect(await withCookie(cookie, gateway)).toBe(429)
    expect(await withCookie(known, gateway)).toBe(303)
  }
})

test('stores only digests of the typed names', async () => {
  await fail(1, 'my-password-by-mistake')
  const rows = await query(system, 'select f::text as row from identity.login_failures f')
  expect(rows.length).toBeGreaterThan(0)
  for (const { row } of rows) expect(row).not.toContain('mistake')
})
