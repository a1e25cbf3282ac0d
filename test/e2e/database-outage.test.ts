import { createDatabase, type TestDatabase } from '@gatehouse/test/database'
import {
  credentialsOf,
  expectRefusal,
  introspectionOf,
  issueToken,
  until,
  untilReady,
} from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { startTcpProxy, type TcpProxy } from '@gatehouse/test/tcp-proxy'
import { afterAll, beforeAll, expect, test } from 'vitest'

let database: TestDatabase
let proxy: TcpProxy
let system: TestSystem
let client: RegisteredClient
let token: string
beforeAll(async () => {
  database = await createDatabase()
  const url = new URL(database.url)
  proxy = await startTcpProxy(url.hostname, Number(url.port))
  url.port = String(proxy.port)
  system = await startTestSystem({ OAUTH2_DATABASE_URL: url.href })
  await untilReady(system)
  client = await system.register()
  token = await issueToken(system, client)
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

test('while the database is away nothing is issued, nobody is told "inactive", and health says why', async () => {
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
  // What needs no database is answered as ever.
  expect(await introspectionOf(system, 'nonsense')).toBe('{"active":false}')
  expect((await system.request('/.well-known/openid-configuration')).status).toBe(200)
  expect((await system.request('/metrics')).status).toBe(200)

  // The services look once a second.
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
  // Nobody gave up.
  expect(system.processes.map(({ pid }) => pid)).toEqual(pids)
})

test('when it is back, everything works again by itself', async () => {
  const pids = system.processes.map(({ pid }) => pid)
  await proxy.mend()
  const began = performance.now()
  await until(async () => (await askForToken()).status === 200, 10_000)
  expect(performance.now() - began).toBeLessThan(5_000)
  await untilReady(system, 5_000)
  expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
  expect((await system.json('/clients/register', { grant_types: ['client_credentials'] })).status).toBe(201)
  await until(
    async () => (await system.request('/health').then((answer) => answer.text())).includes('"healthy"'),
    3_000,
  )
  expect(system.processes.map(({ pid }) => pid)).toEqual(pids)
})
