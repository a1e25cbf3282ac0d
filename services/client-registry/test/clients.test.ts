import { randomUUID } from 'node:crypto'
import { openDatabase } from '@gatehouse/prisma/database'
import { beforeAll, expect, test } from 'vitest'
import type { ClientStore } from '../src/client.ts'
import { createClientStore } from '../src/store/clients.ts'
import { useReplicas } from './registry.ts'

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
  metadata: { software_version: '1.2.3' },
})

test('all clients are counted, those that are disabled too', async () => {
  const before = await store.count()
  const clients = [someClient(), someClient()]
  for (const client of clients) await store.add(client, digest(1))
  await query('update clients.clients set disabled_at = now() where client_id = $1', [clients[0]?.clientId])
  expect(await store.count()).toBe(before + 2)
})

test('a client that was added is found as it was, with the digest of its secret', async () => {
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

test('a client without redirect URIs is one', async () => {
  const client = { ...someClient(), redirectUris: [] }
  await store.add(client, digest(1))
  expect(await store.find([client.clientId])).toMatchObject([{ redirectUris: [] }])
})

test('of those who are asked for, those who exist are found', async () => {
  const clients = [someClient(), someClient()]
  for (const client of clients) await store.add(client, digest(1))
  const ids = clients.map(({ clientId }) => clientId)
  const found = await store.find([...ids, 'nobody', ids[0] ?? '', ids[0]?.toUpperCase() ?? ''])
  expect(found.map(({ clientId }) => clientId).sort()).toEqual(ids.sort())
  expect(await store.find([])).toEqual([])
})

test('a client without a secret is found without one', async () => {
  const client = { ...someClient(), tokenEndpointAuthMethod: 'none' }
  await store.add(client, undefined)
  expect(await store.find([client.clientId])).toMatchObject([{ ...client, secrets: [] }])
})

test('a client is first-party when an administrator has marked it, and not before', async () => {
  const { clientId, firstParty } = await store.add(someClient(), digest(1))
  expect(firstParty).toBe(false)
  await query('update clients.clients set first_party = true where client_id = $1', [clientId])
  expect(await store.find([clientId])).toMatchObject([{ firstParty: true }])
})

test('two clients never have one id', async () => {
  const client = someClient()
  await store.add(client, digest(1))
  await expect(store.add({ ...client, clientName: 'Thief' }, digest(2))).rejects.toThrow()
  expect(await store.find([client.clientId])).toMatchObject([
    { clientName: 'Acme – Zürich', secrets: [{ digest: digest(1) }] },
  ])
})

test('a client that was disabled says so', async () => {
  const { clientId } = await store.add(someClient(), digest(1))
  await query('update clients.clients set disabled_at = now() where client_id = $1', [clientId])
  expect(await store.find([clientId])).toMatchObject([{ disabled: true }])
})

test('both secrets of an overlap are found, with the end of the old one', async () => {
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

test('a database that is away is temporarily_unavailable', async () => {
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
