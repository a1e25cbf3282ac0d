import { randomUUID } from 'node:crypto'
import { actorMessage } from '@gatehouse/kit/actor'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { type RpcServer, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { ClientRegistryServiceService as clientRegistry } from '@gatehouse/proto/clientregistry/v1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientRegistryRpcs } from '../../src/rpc/rpc.ts'
import { useReplicas } from '../registry.ts'

const shared = useReplicas()
let server: RpcServer
let client: RpcClient<typeof clientRegistry>

beforeAll(async () => {
  const { registration, ...others } = shared.replica()
  const made = { ...registration, randomBytes: (size: number) => Buffer.alloc(size, 5) }
  server = await startRpcServer(
    [clientRegistryRpcs({ ...others, registration: made })],
    {
      host: '127.0.0.1',
      port: 0,
      actor: 'client-registry',
      log: recordedLog().log,
      registry: new Registry(),
    },
    () => undefined,
  )
  client = createRpcClient(clientRegistry, `127.0.0.1:${server.port}`, 10_000)
})

afterAll(async () => {
  client.close()
  await server.close(0)
})

const machine = {
  clientName: undefined,
  redirectUris: [],
  grantTypes: ['client_credentials'],
  scope: undefined,
  tokenEndpointAuthMethod: undefined,
  metadata: undefined,
}

async function register() {
  const answer = await client.registerClient(machine)
  return { ...(answer.client ?? expect.unreachable('no client')), clientSecret: answer.clientSecret }
}

const lookup = (clientId: string, revision = 0n) =>
  client.lookupClients({ clients: [{ clientId, revision }], usedSecrets: [] })

test('returns a registered client and its secret, without a digest', async () => {
  const answer = await client.registerClient(machine)
  expect(answer).toMatchObject({
    clientSecret: expect.stringMatching(/^[\w-]{43}$/),
    client: {
      clientId: expect.stringMatching(/^client_/),
      grantTypes: ['client_credentials'],
      scope: 'read',
      secrets: [],
      createdAt: expect.any(Date),
    },
  })
})

test('returns no secret for a public client, and no digest when it is looked up', async () => {
  const app = { grantTypes: ['authorization_code'], redirectUris: ['com.example.app:/cb'] }
  const answer = await client.registerClient({ ...machine, ...app, tokenEndpointAuthMethod: 'none' })
  expect(answer).toMatchObject({ clientSecret: undefined, client: { tokenEndpointAuthMethod: 'none' } })
  const { changed } = await lookup(answer.client?.clientId ?? '')
  expect(changed).toMatchObject([{ tokenEndpointAuthMethod: 'none', firstParty: false, secrets: [] }])
})

test('rejects the call for a refused registration', async () => {
  await expect(client.registerClient({ ...machine, grantTypes: ['implicit'] })).rejects.toMatchObject({
    code: 'invalid_request',
    description: expect.stringContaining('grant_types'),
  })
})

test('returns the whole client for revision 0', async () => {
  const { clientId } = await register()
  const { changed, unknown } = await lookup(clientId)
  expect(unknown).toEqual([])
  expect(changed).toMatchObject([
    { clientId, scope: 'read', disabled: false, secrets: [{ expiresAt: undefined }] },
  ])
  expect(changed[0]?.secrets[0]?.digest).toHaveLength(32)
  expect(changed[0]?.revision).toBeGreaterThan(0n)
})

test('does not return a client whose revision is current', async () => {
  const { clientId } = await register()
  const { changed } = await lookup(clientId)
  expect(await lookup(clientId, changed[0]?.revision)).toEqual({ changed: [], unknown: [] })
})

test.each([
  ['it is disabled', 'update clients.clients set disabled_at = now() where client_id = $1'],
  ['its scope changes', `update clients.clients set scope = 'write' where client_id = $1`],
  ['it is marked first-party', 'update clients.clients set first_party = true where client_id = $1'],
  ['a secret is added', `insert into clients.client_secrets values ($1, '\\x01')`],
  ['a secret gets an expiry', 'update clients.client_secrets set expires_at = now() where client_id = $1'],
  ['its secrets are deleted', 'delete from clients.client_secrets where client_id = $1'],
])('returns a client again when %s', async (_, change) => {
  const { clientId } = await register()
  const known = (await lookup(clientId)).changed[0]?.revision
  await shared.query(change, [clientId])
  const { changed } = await lookup(clientId, known)
  expect(changed.map((one) => one.clientId)).toEqual([clientId])
  expect(changed[0]?.revision).not.toBe(known)
})

test('returns a deleted client as unknown, whatever revision is given', async () => {
  const { clientId } = await register()
  const known = (await lookup(clientId)).changed[0]?.revision
  await shared.query('delete from clients.clients where client_id = $1', [clientId])
  expect(await lookup(clientId, known)).toEqual({ changed: [], unknown: [clientId] })
})

test('tells changed, unchanged and unknown clients apart in one call', async () => {
  const [one, other] = [await register(), await register()]
  const known = (await lookup(one.clientId)).changed[0]?.revision ?? 0n
  const { changed, unknown } = await client.lookupClients({
    clients: [
      { clientId: one.clientId, revision: known },
      { clientId: other.clientId, revision: known },
      { clientId: 'nobody', revision: 3n },
      { clientId: '', revision: 0n },
      { clientId: "'; drop table clients.clients; --", revision: 0n },
    ],
    usedSecrets: [],
  })
  expect(changed.map(({ clientId }) => clientId)).toEqual([other.clientId])
  expect(unknown).toEqual(['nobody', '', "'; drop table clients.clients; --"])
  expect(await client.lookupClients({ clients: [], usedSecrets: [] })).toEqual({ changed: [], unknown: [] })
})

test('looks up as many clients in one call as a token service caches', async () => {
  const { clientId } = await register()
  const many = Array.from({ length: 99_999 }, (_, index) => ({ clientId: `nobody${index}`, revision: 1n }))
  const { changed, unknown } = await client.lookupClients({
    clients: [...many, { clientId, revision: 0n }],
    usedSecrets: [],
  })
  expect(changed.map((one) => one.clientId)).toEqual([clientId])
  expect(unknown).toHaveLength(99_999)
})

describe('for administrators', () => {
  const actor = actorMessage({ kind: 'client', id: 'client_x', name: 'client_x', ipAddress: '192.0.2.1' })
  const unchanged = {
    revision: 0n,
    clientName: undefined,
    redirectUris: undefined,
    grantTypes: undefined,
    scope: undefined,
    firstParty: undefined,
    disabled: undefined,
    metadata: undefined,
  }
  const create = async () => {
    const registration = { ...machine, clientName: `Adm ${randomUUID()}`, scope: 'admin' }
    const answer = await client.createClient({ registration, firstParty: true, actor })
    return { ...(answer.client ?? expect.unreachable('no client')), clientSecret: answer.clientSecret }
  }

  test('creates, finds and updates a client, rotates its secret and deletes it', async () => {
    const { clientSecret, ...added } = await create()
    const { clientId, clientName } = added
    expect(clientSecret).toMatch(/^[\w-]{43}$/)
    const secret = {
      ...{ digest: Buffer.alloc(0), expiresAt: undefined, lastUsedAt: undefined },
      ...{ secretId: expect.stringMatching(/^[\da-f-]{36}$/), createdAt: expect.any(Date) },
    }
    expect(added).toMatchObject({ scope: 'admin', firstParty: true, disabled: false, secrets: [secret] })
    expect(await client.getClient({ clientId })).toEqual({ client: added })
    const request = { search: clientName, filters: {}, limit: 10 }
    const listed = await client.listClients(request)
    expect(listed).toEqual({ clients: [added], nextCursor: undefined, total: expect.any(BigInt) })
    expect(listed.total).toBeGreaterThan(0n)
    const lists = { redirectUris: { items: ['https://app.example/cb'] }, grantTypes: undefined }
    const changed = await client.updateClient({ ...unchanged, ...lists, clientId, disabled: true, actor })
    expect(changed.client).toMatchObject({
      redirectUris: ['https://app.example/cb'],
      grantTypes: ['client_credentials'],
      disabled: true,
    })
    const rotated = await client.rotateClientSecret({ clientId, overlapSeconds: 60, actor })
    expect(rotated.client?.secrets).toEqual([secret, { ...secret, expiresAt: expect.any(Date) }])
    expect(await client.deleteClient({ clientId, actor })).toEqual({})
    await expect(client.getClient({ clientId })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('refuses every change without an actor', async () => {
    const { clientId } = await create()
    const nobody = { clientId, actor: undefined }
    const calls = [
      client.createClient({ registration: machine, firstParty: true, actor: undefined }),
      client.updateClient({ ...unchanged, ...nobody, disabled: true }),
      client.deleteClient(nobody),
      client.rotateClientSecret({ ...nobody, overlapSeconds: 0 }),
    ]
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ description: 'The actor is missing.' })
    expect(await client.getClient({ clientId })).toMatchObject({ client: { disabled: false } })
  })
})
