import { deleteExpiredRows } from '@gatehouse/data/expired-rows'
import type { SentColumns } from '@gatehouse/proto/client-columns'
import { describe, expect, test } from 'vitest'
import { deleteClient, updateClient } from '../../src/changes/client-change.ts'
import {
  deleteRegisteredClient,
  getRegisteredClient,
  type RegisteredClientDeps,
  replaceRegisteredClient,
} from '../../src/changes/registered-client.ts'
import { registerClient } from '../../src/changes/registration.ts'
import { widenScope } from '../../src/changes/scope-widening.ts'
import { expiringAuditEntries } from '../../src/start-cleaning.ts'
import { createClientStore } from '../../src/store/clients.ts'
import { actor, useReplicas } from '../registry.ts'

const shared = useReplicas()
const redirectUris = ['https://app.example/cb']

/** A client that registered itself, and what it does to itself. */
async function registered(request: SentColumns = {}) {
  const { registered: deps, database, changes } = shared.replica()
  const full: RegisteredClientDeps = { ...deps, full: true }
  const { client, clientSecret, registrationAccessToken } = await registerClient(
    { redirectUris, grantTypes: ['authorization_code'], scope: 'read write', ...request },
    { ...full, store: createClientStore(database) },
  )
  const { clientId } = client
  const access = (changes = {}) => ({
    ...{ clientId, registrationAccessToken: registrationAccessToken ?? '', ipAddress: '192.0.2.9' },
    ...changes,
  })
  return {
    ...{ client, clientId, clientSecret, access },
    read: (changes = {}) => getRegisteredClient(access(changes), full),
    replace: (request: SentColumns & { clientSecret?: string } = {}, changes = {}) =>
      replaceRegisteredClient(access(changes), { redirectUris, grantTypes: [], ...request }, full),
    remove: (changes = {}) => deleteRegisteredClient(access(changes), full),
    widen: (scope: string, { checkOnly = false, open = true, of = clientId } = {}) =>
      widenScope({ clientId: of, scope, checkOnly }, { ...full, open }),
    administer: (change: object, by = actor) =>
      updateClient({ clientId, revision: 0n, ...change }, by, changes),
  }
}

test('a client with a name of emoji changes it, although the audit entry has only its beginning', async () => {
  const { clientId, replace } = await registered({ clientName: '😀'.repeat(100) })
  await replace({ clientName: `a${'😀'.repeat(99)}` })
  const [entry] = (await shared.auditOf(clientId)).slice(-1)
  expect(entry?.before).toMatchObject({ client_name: expect.stringMatching(/^"😀{90,}.?…$/u) })
})

test('a client reads its registration with its token, of which only the digest is stored', async () => {
  const { client, clientId, read, access } = await registered()
  expect(await read()).toMatchObject({ clientId, redirectUris, scope: client.scope })
  const rows = await shared.query('select * from clients.registration_tokens where client_id = $1', [
    clientId,
  ])
  expect(JSON.stringify(rows)).not.toContain(access().registrationAccessToken)
})

describe('a wrong token, an unknown client and the token of another client get the same answer', () => {
  test.each(['read', 'replace', 'remove'] as const)('to %s', async (what) => {
    const one = await registered()
    const other = await registered()
    const attempt = (changes: object) => (what === 'replace' ? one.replace({}, changes) : one[what](changes))
    const answers = await Promise.all(
      [
        { registrationAccessToken: 'x'.repeat(43) },
        { registrationAccessToken: '' },
        { registrationAccessToken: other.access().registrationAccessToken },
        { clientId: 'client_unknown' },
        { clientId: 'a\0' },
      ].map((changes) =>
        attempt(changes).catch((error: Error & { code: string }) => [error.code, error.message]),
      ),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toEqual(['invalid_token', expect.any(String)])
    expect(await one.read()).toMatchObject({ clientId: one.clientId })
  })
})

test('a replacement sets what it says, and everything else to its default', async () => {
  const { replace, clientId, read } = await registered({
    clientName: 'Editor',
    grantTypes: ['authorization_code', 'refresh_token'],
    metadata: { client_uri: 'https://app.example/', software_id: 'b7d1' },
  })
  await replace({ redirectUris: ['https://app.example/other'], metadata: { software_id: 'c8e2' } })
  expect(await read()).toMatchObject({
    clientName: clientId,
    redirectUris: ['https://app.example/other'],
    grantTypes: ['authorization_code'],
    scope: 'read write',
    tokenEndpointAuthMethod: 'client_secret_basic',
    metadata: { software_id: 'c8e2' },
  })
  expect((await read()).metadata).not.toHaveProperty('client_uri')
})

test('what a client takes from itself is told to the token service before it is answered, and is in the audit log', async () => {
  const { replace, clientId } = await registered()
  await replace({ scope: 'read' })
  expect(shared.replica().revoked).toContainEqual(
    expect.objectContaining({ kind: 'client_change', target: clientId }),
  )
  expect(await shared.auditOf(clientId)).toMatchObject([
    { action: 'client.update', before: { scope: 'read write' }, after: { scope: 'read' } },
  ])
  expect(
    await shared.query('select actor_kind, actor_id, ip_address from clients.audit_log where target = $1', [
      clientId,
    ]),
  ).toEqual([{ actor_kind: 'client', actor_id: clientId, ip_address: '192.0.2.9' }])
})

test('a client cannot give itself what only administrators set, and keeps what they gave it', async () => {
  const { replace, read, administer } = await registered()
  await administer({ firstParty: true, metadata: { access_token_lifetime: 120 } })
  await replace({ scope: 'read admin', metadata: { access_token_lifetime: 604_800 } })
  expect(await read()).toMatchObject({
    firstParty: true,
    scope: 'read',
    metadata: { access_token_lifetime: 120 },
  })
})

test.each<[string, object]>([
  ['its scope', { scope: 'read' }],
  ['its grants', { grantTypes: ['client_credentials'] }],
  ['its redirect URIs', { redirectUris: ['https://app.example/other'] }],
])('once an administrator has changed %s, a client cannot change it back', async (_what, change) => {
  const { replace, read, administer } = await registered({
    grantTypes: ['authorization_code', 'client_credentials'],
  })
  const changed = await administer(change)
  await expect(replace({ scope: 'read write' })).rejects.toMatchObject({ code: 'access_denied' })
  expect(await read()).toMatchObject({ revision: changed.revision })
})

test('a disabled client cannot read, change, enable or delete itself', async () => {
  const { replace, read, remove, administer, clientId } = await registered()
  await administer({ disabled: true })
  for (const attempt of [read, replace, remove])
    await expect(attempt()).rejects.toMatchObject({ code: 'access_denied' })
  expect((await shared.replica().store.find([clientId]))[0]).toMatchObject({ disabled: true })
  await administer({ disabled: false })
  expect(await read()).toMatchObject({ disabled: false })
})

test('a client cannot choose its secret', async () => {
  const { replace, clientSecret } = await registered()
  await replace({ clientSecret: clientSecret ?? '' })
  await expect(replace({ clientSecret: 'x'.repeat(43) })).rejects.toMatchObject({
    code: 'invalid_client_metadata',
    description: expect.not.stringContaining('xxx'),
  })
})

test.each([
  ['client_secret_basic', 'none'],
  ['none', 'client_secret_post'],
])('a client with the method %s cannot become one with %s', async (before, after) => {
  const { replace, read } = await registered({ tokenEndpointAuthMethod: before })
  await expect(replace({ tokenEndpointAuthMethod: after })).rejects.toMatchObject({
    code: 'invalid_client_metadata',
  })
  expect(await read()).toMatchObject({ tokenEndpointAuthMethod: before })
})

test('faults have the codes of RFC 7591', async () => {
  const { replace } = await registered()
  await expect(replace({ redirectUris: [] })).rejects.toMatchObject({ code: 'invalid_redirect_uri' })
  await expect(replace({ clientName: '\u200b' })).rejects.toMatchObject({ code: 'invalid_client_metadata' })
})

test('a client that deletes itself is deleted as by an administrator, its token ends, and nothing of it stays for ever', async () => {
  const { remove, read, clientId } = await registered()
  await remove()
  expect(await shared.replica().store.find([clientId])).toEqual([])
  // Of a revocation without a time a row is kept for ever.
  const revocations = shared.replica().revoked.filter(({ target }) => target.endsWith(clientId))
  expect(revocations).toMatchObject([
    { kind: 'deleted_client', target: expect.stringMatching(`^\\d+:${clientId}$`) },
    { kind: 'client', target: clientId, issuedBefore: expect.any(Date) },
  ])
  await expect(read()).rejects.toMatchObject({ code: 'invalid_token' })
  await expect(remove()).rejects.toMatchObject({ code: 'invalid_token' })
})

test('the token of a client that an administrator deleted ends', async () => {
  const { read, clientId } = await registered()
  await deleteClient(clientId, actor, shared.replica().changes)
  await expect(read()).rejects.toMatchObject({ code: 'invalid_token' })
})

describe('more scope', () => {
  const refused = { code: 'invalid_scope' }

  test('is added to what a client registered, once a user has agreed', async () => {
    const { widen, read } = await registered({ scope: 'read' })
    await widen('write', { checkOnly: true })
    expect((await read()).scope).toBe('read')
    await Promise.all([widen('write'), widen('read write'), widen('write')])
    expect((await read()).scope).toBe('read write')
  })

  test('is only what the client could have registered, and only where anybody may register', async () => {
    const { widen, read } = await registered({ scope: 'read' })
    for (const scope of ['admin', 'unknown', 'write admin', ''])
      await expect(widen(scope)).rejects.toMatchObject(refused)
    await expect(widen('write', { open: false })).rejects.toMatchObject(refused)
    await expect(widen('write', { of: 'client_unknown' })).rejects.toMatchObject(refused)
    expect((await read()).scope).toBe('read')
  })

  test('is not given once an administrator has changed what the client may do, or disabled it', async () => {
    const narrowed = await registered({ scope: 'read write' })
    await narrowed.administer({ scope: 'read' })
    await expect(narrowed.widen('write')).rejects.toMatchObject(refused)
    const disabled = await registered({ scope: 'read' })
    await disabled.administer({ disabled: true })
    await expect(disabled.widen('write')).rejects.toMatchObject(refused)
  })
})

test('it is known who decided the scope of a client last', async () => {
  const one = await registered({ scope: 'read' })
  const decider = async () => (await shared.replica().store.find([one.clientId]))[0]?.scopeSetBy
  await one.replace({ scope: 'write' })
  await one.widen('read')
  await one.administer({ clientName: 'Editor' })
  expect(await decider()).toBe('registration')
  await one.administer({ scope: 'read' })
  expect(await decider()).toBe('administrator')
})

test('long values that a client sets itself are cut in the audit log', async () => {
  const { clientId, replace, remove } = await registered()
  const many = Array.from({ length: 20 }, (_, number) => `https://app.example/${number}${'x'.repeat(1_000)}`)
  await replace({ redirectUris: many })
  const [entry] = await shared.auditOf(clientId)
  expect(JSON.stringify(entry).length).toBeLessThan(2_000)
  expect(JSON.stringify(entry)).toContain('redirect_uris')
  await remove()
  const [, deletion] = await shared.auditOf(clientId)
  expect(deletion?.action).toBe('client.delete')
  expect(JSON.stringify(deletion).length).toBeLessThan(2_000)
})

test('long values that a client of administrators sets on itself by the API are whole in the audit log', async () => {
  const { clientId, administer } = await registered()
  const many = Array.from({ length: 20 }, (_, number) => `https://app.example/${number}${'x'.repeat(1_000)}`)
  await administer({ redirectUris: many }, { ...actor, kind: 'client', id: clientId })
  const [entry] = await shared.auditOf(clientId)
  expect(entry?.after).toMatchObject({ redirect_uris: many })
})

test('entries of what clients did to themselves go after 90 days, those of administrators never', async () => {
  const { clientId, replace, administer } = await registered()
  await replace({ clientName: 'Another' })
  await administer({ clientName: 'A third' }, { ...actor, kind: 'client', id: clientId })
  const { database } = shared.replica()
  const left = async (days: number) => {
    await shared.query('update clients.audit_log set expires_at = expires_at - make_interval(days => $1)', [
      days,
    ])
    await deleteExpiredRows(database, expiringAuditEntries)
    return (await shared.auditOf(clientId)).length
  }
  expect(await left(89)).toBe(2)
  expect(await left(2)).toBe(1)
})

test('a client reads its registration although that cannot be noted, and nothing is noted when it deletes itself', async () => {
  const { clientId, read, remove } = await registered()
  await shared.query(`create function clients.refuse() returns trigger language plpgsql as $$
    begin raise exception 'no writes now'; end $$`)
  await shared.query(`create trigger refuse before insert on clients.registration_uses for each row
    execute function clients.refuse()`)
  try {
    expect(await read()).toMatchObject({ clientId })
    await remove()
  } finally {
    await shared.query('drop function clients.refuse cascade')
  }
  await expect(read()).rejects.toMatchObject({ code: 'invalid_token' })
})
