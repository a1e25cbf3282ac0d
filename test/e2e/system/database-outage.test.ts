import { browse, submit } from '@gatehouse/test/browser/browser-login'
import {
  credentialsOf,
  expectRefusal,
  introspectionOf,
  issueToken,
  until,
  untilReady,
} from '@gatehouse/test/oauth'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { startTcpProxy, type TcpProxy } from '@gatehouse/test/servers/tcp-proxy'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addPerson,
  authorizationRequest,
  type Code,
  codeFor,
  type Person,
  password,
  pkce,
  redeem,
  registerApp,
  tokensOf,
} from '../logins/login-people.ts'

let database: TestDatabase
let proxy: TcpProxy
let system: TestSystem
let client: RegisteredClient
let token: string
let app: RegisteredClient
let person: Person
let code: Code
beforeAll(async () => {
  database = await createDatabase()
  const url = new URL(database.url)
  proxy = await startTcpProxy(url.hostname, Number(url.port))
  url.port = String(proxy.port)
  system = await startTestSystem({ OAUTH2_DATABASE_URL: url.href })
  await untilReady(system)
  client = await system.register()
  token = await issueToken(system, client)
  app = await registerApp(system)
  person = await addPerson(system)
  code = await codeFor(system, person, app)
})
afterAll(async () => {
  await system?.stop()
  await proxy?.close()
  await database?.drop()
})

const askForToken = () =>
  system.form('/oauth/token', { grant_type: 'client_credentials', ...credentialsOf(client) })
const stateOf = async (path: string) => {
  const response = await system.request(path)
  return { status: response.status, ...((await response.json()) as object) }
}

test('issues nothing and reports no token as inactive while the database is away, and says so in health', async () => {
  const pids = system.processes.map(({ pid }) => pid)
  await proxy.cut()

  for (let round = 0; round < 3; round++) {
    const requests = [
      askForToken(),
      system.form('/oauth/introspect', { token }),
      system.form('/oauth/revoke', { token, ...credentialsOf(client) }),
      system.json('/clients/register', { grant_types: ['client_credentials'] }),
    ]
    for (const response of await Promise.all(requests)) {
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(response.headers.get('cache-control')).toBe('no-store')
      await expectRefusal(response, 503, 'temporarily_unavailable')
    }
  }
  // A request that needs no database is answered as usual.
  expect(await introspectionOf(system, 'nonsense')).toBe('{"active":false}')
  expect((await system.request('/.well-known/openid-configuration')).status).toBe(200)
  expect((await system.request('/metrics')).status).toBe(200)

  // The services check once a second.
  await expect
    .poll(() => stateOf('/ready'), { timeout: 3_000 })
    .toMatchObject({ status: 503, ready: false, database: 'unavailable' })
  await until(
    async () => (await system.request('/health').then((answer) => answer.text())).includes('disconnected'),
    3_000,
  )
  const health = await system.request('/health')
  expect([health.status, await health.json()]).toEqual([
    200,
    expect.objectContaining({ status: 'degraded', database: 'disconnected' }),
  ])
  // No process has ended.
  expect(system.processes.map(({ pid }) => pid)).toEqual(pids)
})

test('tells people with a page and programs with JSON, within the deadline', async () => {
  const { username, jar } = person
  const authorization = `/oauth/authorize?${new URLSearchParams(authorizationRequest(app, pkce().challenge))}`
  const requests: Record<string, (accept: string) => Promise<Response>> = {
    'the login page': (accept) => browse(system, jar, '/auth/login', { headers: { accept } }),
    'a login': (accept) =>
      browse(system, new Map(), '/auth/login', {
        method: 'POST',
        headers: { accept },
        body: new URLSearchParams({ username, password }),
      }),
    authorize: (accept) => browse(system, jar, authorization, { headers: { accept } }),
    'the account': (accept) => browse(system, jar, '/account', { headers: { accept } }),
    'a logout': (accept) =>
      browse(system, new Map(jar), '/auth/logout', { method: 'POST', headers: { accept } }),
  }
  for (const [name, send] of Object.entries(requests)) {
    const page = await send('text/html')
    expect([page.status, page.headers.get('location'), await page.text()], name).toEqual([
      503,
      null,
      expect.stringMatching(/<h1>[\s\S]*temporarily_unavailable/),
    ])
    expect(page.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    await expectRefusal(await send('application/json'), 503, 'temporarily_unavailable')
  }
  await expectRefusal(await redeem(system, credentialsOf(app), code), 503, 'temporarily_unavailable')
  // The login page needs neither a session nor the database.
  expect((await browse(system, new Map(), '/auth/login')).status).toBe(200)
})

test('works again by itself when the database is back', async () => {
  const pids = system.processes.map(({ pid }) => pid)
  await proxy.mend()
  await until(async () => (await askForToken()).status === 200, 30_000)
  await untilReady(system, 30_000)
  expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
  // The session and the code survived.
  expect((await browse(system, person.jar, '/account')).status).toBe(200)
  await tokensOf(await redeem(system, credentialsOf(app), code))
  const login = await submit(system, new Map(), '/auth/login', { username: person.username, password })
  expect(login.status).toBe(303)
  expect((await system.json('/clients/register', { grant_types: ['client_credentials'] })).status).toBe(201)
  await until(
    async () => (await system.request('/health').then((answer) => answer.text())).includes('"healthy"'),
    3_000,
  )
  expect(system.processes.map(({ pid }) => pid)).toEqual(pids)
})
