import { randomUUID } from 'node:crypto'
import { openDatabase } from '@gatehouse/prisma/database'
import { beforeAll, expect, test } from 'vitest'
import type { ClientStore } from '../../src/clients/client.ts'
import { createClientStore } from '../../src/store/clients.ts'
import { useReplicas } from '../registry.ts'

const shared = useReplicas()
const { query } = shared
let store: ClientStore
beforeAll(() => {
  store = createClientStore(shared.replica().database)
})

const digest = (byte: number) => new Uint8Array(32).fill(byte)
const someClient = () => ({
  clientId: `client_${randomUUID()}`,
  clientName: 'Acme – Zürich',
  redirectUris: ['https://app.example/cb', 'com.example.app:/cb'],
  grantTypes: ['authorization_code', 'client_credentials'],
  scope: 'read write',
  tokenEndpointAuthMethod: 'client_secret_post',
  firstParty: false,
  metadata: { software_version: '1.2.3' },
  createdBy: 'registration' as const,
})

test('counts all clients, including disabled ones', async () => {
  const before = await store.count()
  const clients = [someClient(), someClient()]
  for (const client of clients) await store.add(client, digest(1))
  await query('update clients.clients set disabled_at = now() where client_id = $1', [clients[0]?.clientId])
  expect(await store.count()).toBe(before + 2)
})

test('finds a client as it was added, with the digest of its secret', async () => {
  const client = someClient()
  const added = await store.add(client, digest(7))
  expect(added).toMatchObject({ ...client, disabled: false })
  expect(Math.abs(added.createdAt.getTime() - Date.now())).toBeLessThan(10_000)
  const [found, ...others] = await store.find([client.clientId])
  expect(others).toEqual([])
  expect(found).toMatchObject({ ...client, disabled: false, createdAt: added.createdAt })
  expect(found?.secrets.map((secret) => [...secret.digest])).toEqual([[...digest(7)]])
  expect(found?.secrets[0]?.expiresAt).toBeUndefined()
})

test('stores a client without redirect URIs', async () => {
  const client = { ...someClient(), redirectUris: [] }
  await store.add(client, digest(1))
  expect(await store.find([client.clientId])).toMatchObject([{ redirectUris: [] }])
})

test('finds the existing clients among many ids', async () => {
  const clients = [someClient(), someClient()]
  for (const client of clients) await store.add(client, digest(1))
  const ids = clients.map(({ clientId }) => clientId)
  const found = await store.find([...ids, 'nobody', ids[0] ?? '', ids[0]?.toUpperCase() ?? ''])
  expect(found.map(({ clientId }) => clientId).sort()).toEqual(ids.sort())
  expect(await store.find([])).toEqual([])
})

test('stores a client without a secret', async () => {
  const client = { ...someClient(), tokenEndpointAuthMethod: 'none' }
  await store.add(client, undefined)
  expect(await store.find([client.clientId])).toMatchObject([{ ...client, secrets: [] }])
})

test('a client is first-party only after an administrator has marked it', async () => {
  const { clientId, firstParty } = await store.add(someClient(), digest(1))
  expect(firstParty).toBe(false)
  await query('update clients.clients set first_party = true where client_id = $1', [clientId])
  expect(await store.find([clientId])).toMatchObject([{ firstParty: true }])
})

test('refuses a second client with the same id', async () => {
  const client = someClient()
  await store.add(client, digest(1))
  await expect(store.add({ ...client, clientName: 'Thief' }, digest(2))).rejects.toThrow()
  expect(await store.find([client.clientId])).toMatchObject([
    { clientName: 'Acme – Zürich', secrets: [{ digest: digest(1) }] },
  ])
})

test('says that a client is disabled', async () => {
  const { clientId } = await store.add(someClient(), digest(1))
  await query('update clients.clients set disabled_at = now() where client_id = $1', [clientId])
  expect(await store.find([clientId])).toMatchObject([{ disabled: true }])
})

test('finds both secrets of an overlap, with the expiry of the previous one', async () => {
  const { clientId } = await store.add(someClient(), digest(1))
  const end = new Date('2030-01-01T00:00:00.123Z')
  await query('update clients.client_secrets set expires_at = $2 where client_id = $1', [clientId, end])
  await query('insert into clients.client_secrets (client_id, secret_digest) values ($1, $2)', [
    clientId,
    Buffer.from(digest(2)),
  ])
  const [found] = await store.find([clientId])
  const secrets = found?.secrets.map(({ digest: [first], expiresAt }) => ({ first, expiresAt }))
  expect(secrets?.sort((one, other) => (one.first ?? 0) - (other.first ?? 0))).toEqual([
    { first: 1, expiresAt: end },
    { first: 2, expiresAt: undefined },
  ])
})

test('rejects with temporarily_unavailable while the database is away', async () => {
  const away = openDatabase({
    databaseUrl: 'postgresql://nobody@127.0.0.1:9/nothing',
    applicationName: 'gatehouse-test',
    poolSize: 1,
  })
  const lost = createClientStore(away)
  await expect(lost.find(['a'])).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await expect(lost.add(someClient(), digest(1))).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await away.close()
})

test('counts the clients whose method of authentication is off', async () => {
  const { store } = shared.replica()
  const on = ['client_secret_basic', 'client_secret_post']
  const before = await store.countOthers(on)
  await shared.add({
    tokenEndpointAuthMethod: 'private_key_jwt',
    metadata: { jwks_uri: 'https://a.example/keys' },
  })
  await shared.add()
  expect(await store.countOthers(on)).toBe(before + 1)
})
