import { randomBytes, randomUUID } from 'node:crypto'
import { actorMessage } from '@gatehouse/kit/actor'
import { emitNothing } from '@gatehouse/kit/emission'
import { Registry } from '@gatehouse/kit/metrics'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc-client'
import { type RpcServer, startRpcServer } from '@gatehouse/kit/rpc-server'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { ClientRegistryServiceService as clientRegistry } from '@gatehouse/proto/clientregistry/v1'
import { createDatabase, type TestDatabase } from '@gatehouse/test/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import type { ClientStore } from '../src/client.ts'
import { clientRegistryRpcs } from '../src/rpc.ts'
import { createClientChangeStore } from '../src/store/client-changes.ts'
import { createClientListStore } from '../src/store/client-list.ts'
import { createClientStore } from '../src/store/clients.ts'

let created: TestDatabase
let database: Database
let store: ClientStore

beforeAll(async () => {
  created = await createDatabase()
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 4 })
  store = createClientStore(database)
})

afterAll(async () => {
  await database.close()
  await created.drop()
})

const digest = (byte: number) => new Uint8Array(32).fill(byte)
const someClient = () => ({
  clientId: `client_${randomUUID()}`,
  clientName: 'Acme – Zürich',
  redirectUris: ['https://app.example/cb', 'com.example.app:/cb'],
  grantTypes: ['authorization_code', 'client_credentials'],
  scope: 'read write',
  tokenEndpointAuthMethod: 'client_secret_post',
})
const query = (text: string, values: unknown[]) => database.pool.query(text, values)

describe('the store', () => {
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
})

describe('the RPCs', () => {
  let server: RpcServer
  let client: RpcClient<typeof clientRegistry>

  beforeAll(async () => {
    const registration = {
      store,
      emit: emitNothing,
      publicClients: true,
      scopesSupported: new Set(['read', 'write']),
      randomUuid: randomUUID,
      randomBytes: (size: number) => Buffer.alloc(size, 5),
    }
    const changes = {
      ...registration,
      randomBytes,
      store: createClientChangeStore(database, emitNothing),
      deliver: async () => undefined,
    }
    const admin = { list: createClientListStore(database), changes }
    const options = {
      host: '127.0.0.1',
      port: 0,
      actor: 'client-registry',
      log: recordedLog().log,
      registry: new Registry(),
    }
    server = await startRpcServer(
      [clientRegistryRpcs({ registration, store, admin })],
      options,
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
  }

  async function register() {
    const answer = await client.registerClient(machine)
    return { ...(answer.client ?? expect.unreachable('no client')), clientSecret: answer.clientSecret }
  }

  const lookup = (clientId: string, revision = 0n) =>
    client.lookupClients({ clients: [{ clientId, revision }] })

  test('registering gives the client and its secret, and no digest', async () => {
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

  test('registering a public client gives an empty secret, and looking it up gives no digest', async () => {
    const app = { grantTypes: ['authorization_code'], redirectUris: ['com.example.app:/cb'] }
    const answer = await client.registerClient({ ...machine, ...app, tokenEndpointAuthMethod: 'none' })
    expect(answer).toMatchObject({ clientSecret: '', client: { tokenEndpointAuthMethod: 'none' } })
    const { changed } = await lookup(answer.client?.clientId ?? '')
    expect(changed).toMatchObject([{ tokenEndpointAuthMethod: 'none', firstParty: false, secrets: [] }])
  })

  test('a refused registration is the call’s refusal', async () => {
    await expect(client.registerClient({ ...machine, grantTypes: ['implicit'] })).rejects.toMatchObject({
      code: 'invalid_request',
      description: expect.stringContaining('grant_types'),
    })
  })

  test('a client of which nothing is known comes whole', async () => {
    const { clientId } = await register()
    const { changed, unknown } = await lookup(clientId)
    expect(unknown).toEqual([])
    expect(changed).toMatchObject([
      { clientId, scope: 'read', disabled: false, secrets: [{ expiresAt: undefined }] },
    ])
    expect(changed[0]?.secrets[0]?.digest).toHaveLength(32)
    expect(changed[0]?.revision).toBeGreaterThan(0n)
  })

  test('a client that is known as it is does not come again', async () => {
    const { clientId } = await register()
    const { changed } = await lookup(clientId)
    expect(await lookup(clientId, changed[0]?.revision)).toEqual({ changed: [], unknown: [] })
  })

  test.each([
    ['it is disabled', 'update clients.clients set disabled_at = now() where client_id = $1'],
    ['its scope changes', `update clients.clients set scope = 'write' where client_id = $1`],
    ['it is marked first-party', 'update clients.clients set first_party = true where client_id = $1'],
    ['a secret is added', `insert into clients.client_secrets values ($1, '\\x01')`],
    ['a secret gets an end', 'update clients.client_secrets set expires_at = now() where client_id = $1'],
    ['its secrets go', 'delete from clients.client_secrets where client_id = $1'],
  ])('a client comes again when %s', async (_, change) => {
    const { clientId } = await register()
    const known = (await lookup(clientId)).changed[0]?.revision
    await query(change, [clientId])
    const { changed } = await lookup(clientId, known)
    expect(changed.map((one) => one.clientId)).toEqual([clientId])
    expect(changed[0]?.revision).not.toBe(known)
  })

  test('a client that was deleted is unknown, whatever was known of it', async () => {
    const { clientId } = await register()
    const known = (await lookup(clientId)).changed[0]?.revision
    await query('delete from clients.clients where client_id = $1', [clientId])
    expect(await lookup(clientId, known)).toEqual({ changed: [], unknown: [clientId] })
  })

  test('one call tells changed, unchanged and unknown clients apart', async () => {
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
    })
    expect(changed.map(({ clientId }) => clientId)).toEqual([other.clientId])
    expect(unknown).toEqual(['nobody', '', "'; drop table clients.clients; --"])
    expect(await client.lookupClients({ clients: [] })).toEqual({ changed: [], unknown: [] })
  })

  test('as many clients as a token service keeps can be asked for in one call', async () => {
    const { clientId } = await register()
    const many = Array.from({ length: 99_999 }, (_, index) => ({ clientId: `nobody${index}`, revision: 1n }))
    const { changed, unknown } = await client.lookupClients({
      clients: [...many, { clientId, revision: 0n }],
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
    }
    const create = async () => {
      const registration = { ...machine, clientName: `Adm ${randomUUID()}`, scope: 'admin' }
      const answer = await client.createClient({ registration, firstParty: true, actor })
      return { ...(answer.client ?? expect.unreachable('no client')), clientSecret: answer.clientSecret }
    }

    test('a client is added, found, changed, gets another secret, and is deleted', async () => {
      const { clientSecret, ...added } = await create()
      const { clientId, clientName } = added
      expect(clientSecret).toMatch(/^[\w-]{43}$/)
      const secret = { digest: Buffer.alloc(0), expiresAt: undefined }
      expect(added).toMatchObject({ scope: 'admin', firstParty: true, disabled: false, secrets: [secret] })
      expect(await client.getClient({ clientId })).toEqual({ client: added })
      const listed = await client.listClients({ search: clientName, cursor: '', limit: 10 })
      expect(listed).toEqual({ clients: [added], nextCursor: '', total: expect.any(BigInt) })
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

    test('nothing is done without saying who does it', async () => {
      const { clientId } = await create()
      const nobody = { clientId, actor: undefined }
      const calls = [
        client.createClient({ registration: machine, firstParty: true, actor: undefined }),
        client.updateClient({ ...unchanged, ...nobody, disabled: true }),
        client.deleteClient(nobody),
        client.rotateClientSecret({ ...nobody, overlapSeconds: 0 }),
      ]
      for (const call of calls)
        await expect(call).rejects.toMatchObject({ description: 'Who does this is not said.' })
      expect(await client.getClient({ clientId })).toMatchObject({ client: { disabled: false } })
    })
  })
})
