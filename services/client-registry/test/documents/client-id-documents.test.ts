import { expect, test } from 'vitest'
import { ServerUnavailable } from '../../../kit/src/fetch/guarded-fetch.ts'
import { deleteClient, updateClient } from '../../src/changes/client-change.ts'
import { createClientIdDocumentStore } from '../../src/store/client-id-documents.ts'
import { actor, useReplicas } from '../registry.ts'
import { documentClients, policy } from './document-clients.ts'

const shared = useReplicas()
const someDocument = documentClients(shared)

test('a document becomes a public client whose scope and grants the server decides', async () => {
  const { clientId, read, find } = someDocument({
    scope: 'admin write',
    grant_types: ['client_credentials', 'password'],
    token_endpoint_auth_method: 'none',
    client_uri: 'https://app.example/',
    access_token_lifetime: 604_800,
    first_party: true,
    something_else: { unknown: true },
  })
  expect(await read()).toEqual({ changed: true })
  expect(await find()).toMatchObject({
    clientId,
    clientName: 'Editor',
    redirectUris: ['https://app.example/cb'],
    ...policy,
    tokenEndpointAuthMethod: 'none',
    firstParty: false,
    disabled: false,
    metadata: { client_uri: 'https://app.example/' },
    secrets: [],
  })
  expect((await find())?.metadata).not.toHaveProperty('access_token_lifetime')
  expect(await shared.auditOf(clientId)).toMatchObject([{ action: 'client.create' }])
})

test('a client without a name has that of its host', async () => {
  const { read, find, clientId } = someDocument({ client_name: ' ' })
  await read()
  expect((await find())?.clientName).toBe(new URL(clientId).host)
})

test.each<[string, Record<string, unknown>, string]>([
  ['another client_id', { client_id: 'https://other.example/client' }, 'client_id is not the address'],
  ['no client_id', { client_id: undefined }, 'client_id is not the address'],
  ['a secret', { client_secret: 'hunter2' }, 'client_secret'],
  ['the expiry of a secret', { client_secret_expires_at: 0 }, 'client_secret_expires_at'],
  ['a shared secret as its method', { token_endpoint_auth_method: 'client_secret_basic' }, 'must be none'],
  ['a method that needs a secret', { token_endpoint_auth_method: 'client_secret_jwt' }, 'must be none'],
  ['no redirect URIs', { redirect_uris: undefined }, 'redirect_uris'],
  ['an empty list of them', { redirect_uris: [] }, 'redirect_uris'],
  ['a redirect URI that is no text', { redirect_uris: [1] }, 'redirect_uris'],
  ['one that runs code', { redirect_uris: ['javascript:alert(1)'] }, 'scheme'],
  ['one over http', { redirect_uris: ['http://app.example/cb'] }, 'is http'],
  ['a name that is no text', { client_name: {} }, 'client_name'],
  ['an invisible name', { client_name: 'Ed\u202eitor' }, 'client_name'],
  ['a page over http', { client_uri: 'http://app.example/' }, '_uri'],
  ['a logo that runs code', { logo_uri: 'javascript:alert(1)' }, '_uri'],
])('a document with %s is refused, and nothing is stored', async (_what, changes, fault) => {
  const { read, find, lines } = someDocument(changes)
  const refused = await read().catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'invalid_client', description: expect.stringContaining(fault) })
  expect(JSON.stringify([refused, lines])).not.toContain('hunter2')
  expect(await find()).toBeUndefined()
})

test.each(['', '[]', 'null', '"text"', '{', '{"client_id": "\ud800'])(
  'the body %j is no document',
  async (body) => {
    const { read, state } = someDocument()
    state.body = body
    await expect(read()).rejects.toMatchObject({ code: 'invalid_client' })
  },
)

test('a document is read again when it is no longer fresh, and not before', async () => {
  const { read, state, expire } = someDocument()
  await read()
  expect([await read(), state.fetches]).toEqual([{ changed: false }, 1])
  await expire()
  expect([await read(), state.fetches]).toEqual([{ changed: false }, 2])
})

test('errors and invalid documents are not remembered', async () => {
  const { read, state, lines } = someDocument()
  state.failure = new Error('the server cannot be reached: ECONNREFUSED')
  await expect(read()).rejects.toMatchObject({
    code: 'invalid_client',
    // A stranger must not learn which ports this server can reach.
    description: expect.not.stringContaining('ECONNREFUSED'),
  })
  expect(JSON.stringify(lines)).toContain('ECONNREFUSED')
  state.failure = undefined
  expect(await read()).toEqual({ changed: true })
})

test('a document that is gone when it is read again gives no new authorization, and its client stays', async () => {
  const { read, state, expire, find } = someDocument()
  await read()
  await expire()
  state.failure = new Error('it answered 404 instead of 200')
  await expect(read()).rejects.toMatchObject({ code: 'invalid_client' })
  await expect(read()).rejects.toMatchObject({ code: 'invalid_client' })
  expect(state.fetches).toBe(3)
  expect(await find()).toBeDefined()
})

test.each(['no longer exists', 'has become invalid'])(
  'a document that %s gives no new authorization, however long ago it was read',
  async (what) => {
    const { read, state, expire } = someDocument()
    await read()
    await expire(25)
    if (what === 'has become invalid') state.body = '{'
    else state.failure = new Error('it answered 404 instead of 200')
    await expect(read()).rejects.toMatchObject({ code: 'invalid_client' })
  },
)

test('a known client goes on for a day while its document cannot be read, and no longer', async () => {
  const { clientId, reading, state, expire } = someDocument()
  const one = reading()
  const read = () => one(clientId, '192.0.2.1')
  await read()
  await expire(23)
  state.failure = new ServerUnavailable('the server did not answer within 4 s')
  expect(await read()).toEqual({ changed: false })
  // It is not waited for again and again.
  expect([await read(), state.fetches]).toEqual([{ changed: false }, 2])
  state.now += 61_000
  state.failure = undefined
  state.document.client_name = 'Renamed'
  expect([await read(), state.fetches]).toEqual([{ changed: true }, 3])
  state.failure = new ServerUnavailable('the server did not answer within 4 s')
  await expire(25)
  await expect(read()).rejects.toMatchObject({ code: 'invalid_client' })
  state.mayFetch = false
  await expect(read()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(state.places).toEqual([
    ['192.0.2.1', 'answered'],
    ['192.0.2.1', 'unavailable'],
    ['192.0.2.1', 'answered'],
    ['192.0.2.1', 'unavailable'],
  ])
})

test('a caller whose network has no place shares the reading of another one, and does not spoil it', async () => {
  const { clientId, reading, state } = someDocument()
  const one = reading()
  const answers = Promise.withResolvers<void>()
  state.gate = answers.promise
  state.mayFetch = false
  await expect(one(clientId, '192.0.2.2')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  state.mayFetch = true
  const first = one(clientId, '192.0.2.1')
  await expect.poll(() => state.fetches).toBe(1)
  state.mayFetch = false
  const second = one(clientId, '192.0.2.2')
  answers.resolve()
  expect([await first, await second, state.fetches]).toEqual([
    { changed: true },
    { changed: expect.any(Boolean) },
    1,
  ])
})

test('a changed document is a new revision, and the token service is told', async () => {
  const { clientId, read, state, expire, find } = someDocument({ client_uri: 'https://app.example/' })
  await read()
  const before = await find()
  await expire()
  state.document.redirect_uris = ['https://app.example/other']
  state.document.client_uri = undefined
  expect(await read()).toEqual({ changed: true })
  const after = await find()
  expect(after).toMatchObject({ redirectUris: ['https://app.example/other'], metadata: {} })
  expect(after?.revision).not.toBe(before?.revision)
  expect(shared.replica().revoked).toContainEqual(
    expect.objectContaining({ kind: 'client_change', target: clientId }),
  )
  expect(await shared.auditOf(clientId)).toMatchObject([
    { action: 'client.create' },
    { action: 'client.update', after: { redirect_uris: ['https://app.example/other'] } },
  ])
})

test('two replicas that meet a new client at the same moment store it once', async () => {
  const one = someDocument()
  const other = createClientIdDocumentStore(shared.another().database)
  await Promise.all([one.read(), one.read(), one.read()])
  expect(await shared.query('select from clients.clients where client_id = $1', [one.clientId])).toHaveLength(
    1,
  )
  expect(await other.stateOf(one.clientId)).toBe('fresh')
})

test('too many readings are refused for a while', async () => {
  const { read, state } = someDocument()
  state.mayFetch = false
  await expect(read()).rejects.toMatchObject({ code: 'temporarily_unavailable', retryAfter: 60 })
  expect(state.fetches).toBe(0)
})

test('where documents are off, none is read', async () => {
  const { read, state } = someDocument()
  state.enabled = false
  await expect(read()).rejects.toMatchObject({ code: 'invalid_client' })
  expect(state.fetches).toBe(0)
})

test('an administrator may disable such a client, which then stays disabled, and may change nothing that it says', async () => {
  const { clientId, read, state, expire, find } = someDocument()
  await read()
  const change = (changes: object) =>
    updateClient({ clientId, revision: 0n, ...changes }, actor, shared.replica().changes)
  for (const changes of [
    { firstParty: true },
    { scope: 'read write' },
    { clientName: 'Other' },
    { redirectUris: ['https://evil.example/'] },
    { grantTypes: ['authorization_code'] },
    { metadata: { client_uri: 'https://evil.example/' } },
  ]) {
    await expect(change(changes)).rejects.toMatchObject({ code: 'invalid_request' })
  }
  await change({ metadata: { access_token_lifetime: 120 } })
  await expire()
  await read()
  expect((await find())?.metadata).toEqual({ access_token_lifetime: 120 })

  await change({ disabled: true })
  await expire()
  state.document.client_name = 'Renamed'
  expect(await read()).toEqual({ changed: false })
  expect(await find()).toMatchObject({ disabled: true, clientName: 'Editor' })
})

test('a deleted client comes back as a new one whose tokens live', async () => {
  const { clientId, read, find } = someDocument()
  await read()
  const before = await find()
  await deleteClient(clientId, actor, shared.replica().changes)
  // For ever would revoke what it gets later.
  const revoked = shared.replica().revoked.filter(({ target }) => target === clientId)
  expect(revoked).toEqual([expect.objectContaining({ kind: 'client', issuedBefore: expect.any(Date) })])
  expect(await read()).toEqual({ changed: true })
  expect((await find())?.revision).not.toBe(before?.revision)
})

test('a new policy counts at once for the clients that exist', async () => {
  const { clientId, read, find, documents } = someDocument()
  await read()
  const narrow = { scope: 'read', grantTypes: ['authorization_code'] }
  await documents.applyPolicy(narrow)
  await documents.applyPolicy(narrow)
  expect(await find()).toMatchObject(narrow)
  expect(
    await shared.query('select kind from clients.pending_revocations where target = $1', [clientId]),
  ).toEqual([{ kind: 'client_change' }])
})

test('each reading is counted by how it ended, and a fresh document is not read', async () => {
  const { state, read, expire } = someDocument()
  await read()
  await read()
  await expire()
  await read()
  await expire()
  state.failure = new ServerUnavailable('it does not answer')
  expect(await read()).toEqual({ changed: false })
  state.mayFetch = false
  expect(await read()).toEqual({ changed: false })
  expect(state.outcomes).toEqual(['changed', 'unchanged', 'failed', 'refused'])
})
