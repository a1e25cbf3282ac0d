import { randomUUID } from 'node:crypto'
import { basic, until } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { beforeAll, expect, test } from 'vitest'
import { asAdministrator, type Provider, startProvider } from '../openid/openid-world.ts'

/** In milliseconds: patient, although a change counts within two seconds. */
const patience = 20_000

let provider: Provider
beforeAll(async () => {
  provider = await startProvider({ OAUTH2_CORS_ORIGINS: 'https://set.example' })
})

const newOrigin = () => `https://${randomUUID()}.example`

async function preflight(origin: string, path = '/oauth/token') {
  const headers = { origin, 'access-control-request-method': 'POST' }
  const { headers: answered } = await provider.system.request(path, { method: 'OPTIONS', headers })
  return answered.get('access-control-allow-origin')
}
const untilOpen = (origin: string) => until(async () => (await preflight(origin)) === origin, patience)
const untilClosed = (origin: string) => until(async () => (await preflight(origin)) === null, patience)

/** The origin that may read the answer to a request that fails after the client has authenticated. */
async function readableBy(origin: string, { client_id, client_secret }: RegisteredClient) {
  const { status, headers } = await provider.system.request('/oauth/token', {
    method: 'POST',
    headers: { origin, ...basic(client_id, client_secret) },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' }),
  })
  expect(status).toBe(400)
  return headers.get('access-control-allow-origin')
}

const change = async ({ client_id }: RegisteredClient, method: string, body?: object) => {
  const answer = await asAdministrator(
    provider.system,
    provider.root,
    method,
    `/admin/api/clients/${client_id}`,
    body,
  )
  expect(answer.ok).toBe(true)
}

test('pages of the origins of a client may call the server for it as long as it has them', async () => {
  const [first, second, third] = [newOrigin(), newOrigin(), newOrigin()]
  expect(await preflight(first)).toBeNull()
  const client = await provider.createClient({ redirect_uris: [`${first}/cb`, 'com.example.app:/cb'] })
  const other = await provider.createClient({ redirect_uris: [`${second}/cb`] })
  await untilOpen(first)
  await untilOpen(second)
  expect(await preflight('null')).toBeNull()
  expect(await preflight(first, '/oauth/introspect')).toBeNull()
  expect(await readableBy(first, client)).toBe(first)
  expect(await readableBy(second, client)).toBeNull()
  expect(await readableBy(second, other)).toBe(second)
  expect(await readableBy('https://set.example', client)).toBe('https://set.example')

  await change(client, 'PATCH', { allowed_origins: [third] })
  await untilOpen(third)
  await untilClosed(first)
  expect(await readableBy(third, client)).toBe(third)
  await change(client, 'PATCH', { disabled: true })
  await untilClosed(third)
  await change(client, 'PATCH', { disabled: false, allowed_origins: null })
  await untilOpen(first)
  await change(client, 'DELETE')
  await untilClosed(first)
})

test('an administrator cannot name what is no origin', async () => {
  for (const origin of ['null', '*', 'https://app.example/']) {
    const body = { client_name: 'App', grant_types: ['client_credentials'], allowed_origins: [origin] }
    const answer = await asAdministrator(provider.system, provider.root, 'POST', '/admin/api/clients', body)
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error_description: expect.stringMatching(/^allowed_origins /) },
    ])
  }
})
