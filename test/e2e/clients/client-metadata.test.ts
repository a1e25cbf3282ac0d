import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminWorld, startAdminWorld } from '../administration/admin-world.ts'
import { tokensOf } from '../logins/login-people.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await startAdminWorld()
})
afterAll(() => world?.stop())

const metadata = {
  client_uri: 'https://app.example/',
  contacts: ['ops@app.example'],
  software_id: 'nightly-jobs',
  software_version: '1.2.3',
}
const machine = { grant_types: ['client_credentials'], scope: 'read' }

/** Reads a client's metadata as an administrator. */
const look = ({ client_id }: { client_id: string }) => world.done('GET', `/admin/api/clients/${client_id}`)
const change = ({ client_id }: { client_id: string }, changes: object) =>
  world.api(world.root, 'PATCH', `/admin/api/clients/${client_id}`, changes)
const issue = async (client: RegisteredClient) =>
  tokensOf(
    await world.system.form('/oauth/token', { ...credentialsOf(client), grant_type: 'client_credentials' }),
  )

test('stores and returns a client’s own metadata at registration, and ignores administrators’ fields', async () => {
  const response = await world.system.json('/clients/register', {
    ...machine,
    ...metadata,
    access_token_lifetime: 61,
    logo_uri: 'https://app.example/logo.png',
  })
  expect(response.status).toBe(201)
  const registered = (await response.json()) as RegisteredClient
  expect(registered).toMatchObject(metadata)
  expect(registered).not.toHaveProperty('access_token_lifetime')
  expect(registered).not.toHaveProperty('logo_uri')
  expect(await look(registered)).toMatchObject(metadata)
  const listed = await world.done<{ items: { client_id: string }[] }>('GET', '/admin/api/clients?limit=1')
  expect(listed.items[0]).toMatchObject({ client_id: registered.client_id, ...metadata })
})

test.each([
  ['software_version', 7],
  ['software_version', 'x'.repeat(201)],
  ['contacts', 'ops@app.example'],
  ['contacts', ['\u200b']],
  ['client_uri', 'javascript:alert(1)'],
])('refuses an invalid %s at registration by name', async (name, value) => {
  const response = await world.system.json('/clients/register', { ...machine, [name]: value })
  const body = (await response.json()) as { error: string; error_description: string }
  expect([response.status, body.error]).toEqual([400, 'invalid_request'])
  expect(body.error_description).toMatch(new RegExp(`^${name}\\b`))
})

test('lets administrators change single fields, and writes the changes into the audit log', async () => {
  const client = await world.done<RegisteredClient>('POST', '/admin/api/clients', { ...machine, ...metadata })
  const changed = await change(client, { software_version: '2.0', contacts: null })
  expect(changed.status).toBe(200)
  const { contacts: _, ...kept } = metadata
  expect(changed.body).toMatchObject({ ...kept, software_version: '2.0' })
  expect(changed.body).not.toHaveProperty('contacts')
  const { items } = await world.done<{ items: object[] }>(
    'GET',
    `/admin/api/audit?limit=1&target=${client.client_id}`,
  )
  expect(items[0]).toMatchObject({
    action: 'client.update',
    before: { software_version: '1.2.3', contacts: metadata.contacts },
    after: { software_version: '2.0' },
  })
  for (const bad of [{ contacts: 7 }, { access_token_lifetime: 59 }, { access_token_lifetime: '60' }]) {
    const answer = await change(client, bad)
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
    expect(answer.body.error_description).toMatch(new RegExp(`^${Object.keys(bad)[0]}\\b`))
  }
  expect(await look(client)).toMatchObject({ software_version: '2.0' })
})

test('issues access tokens with the client’s own lifetime from its change on', async () => {
  const client = await world.done<RegisteredClient>('POST', '/admin/api/clients', machine)
  const usual = await issue(client)
  expect(usual.expires_in).toBe(3600)
  expect((await change(client, { access_token_lifetime: 60 })).status).toBe(200)
  const short = await issue(client)
  const { exp, iat } = claimsOf(short.access_token)
  expect([short.expires_in, exp - Number(iat)]).toEqual([60, 60])
  const asked = { ...credentialsOf(client), token: short.access_token }
  const introspection = await world.system.form('/oauth/introspect', asked)
  expect(await introspection.json()).toMatchObject({ active: true, exp, iat })
  expect((await change(client, { access_token_lifetime: 604_800 })).status).toBe(200)
  expect((await issue(client)).expires_in).toBe(604_800)
  expect((await change(client, { access_token_lifetime: null })).status).toBe(200)
  expect((await issue(client)).expires_in).toBe(3600)
})
