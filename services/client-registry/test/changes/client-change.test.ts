import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  type ClientChange,
  createClient,
  deleteClient,
  updateClient,
} from '../../src/changes/client-change.ts'
import { rotateClientSecret } from '../../src/changes/secret-rotation.ts'
import { actor, machine, useReplicas } from '../registry.ts'

const shared = useReplicas()

const update = (clientId: string, change: Partial<ClientChange>, replica = shared.replica()) =>
  updateClient({ clientId, revision: 0n, ...change }, actor, replica.changes)
const digestOf = (secret: string | undefined) =>
  createHash('sha256')
    .update(secret ?? '')
    .digest()
const unknown = { code: 'not_found', description: 'There is no such client.' }
const app = {
  clientName: 'Acme',
  redirectUris: ['https://app.example/cb'],
  grantTypes: ['authorization_code'],
}

describe('creating a client', () => {
  test('accepts any scope, and writes an audit entry without the secret', async () => {
    const wanted = { ...app, scope: 'admin read urn:x', firstParty: true }
    const { client, clientSecret } = await createClient(wanted, actor, shared.replica().changes)
    expect(client).toMatchObject({ ...wanted, disabled: false, secrets: [{ expiresAt: undefined }] })
    const [found] = await shared.replica().store.find([client.clientId])
    expect(found).toMatchObject(wanted)
    expect(Buffer.from(found?.secrets[0]?.digest ?? [])).toEqual(digestOf(clientSecret))
    expect(await shared.auditOf(client.clientId)).toEqual([
      {
        action: 'client.create',
        before: null,
        after: {
          client_name: 'Acme',
          redirect_uris: app.redirectUris,
          grant_types: app.grantTypes,
          scope: 'admin read urn:x',
          first_party: true,
          token_endpoint_auth_method: 'client_secret_basic',
        },
      },
    ])
  })

  test('follows the rules of registration otherwise', async () => {
    const create = (changes: object) =>
      createClient({ ...machine, ...changes }, actor, shared.replica().changes)
    for (const scope of ['two  spaces', 'quo"te', 'ä', 'x'.repeat(1_001)])
      await expect(create({ scope })).rejects.toMatchObject({ code: 'invalid_scope' })
    await expect(create({ grantTypes: ['implicit'] })).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(create({ tokenEndpointAuthMethod: 'none' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect((await create({})).client).toMatchObject({ scope: 'read' })
  })

  test('gives a public client no secret', async () => {
    const wanted = { ...app, tokenEndpointAuthMethod: 'none', firstParty: false }
    const { client, clientSecret } = await createClient(wanted, actor, shared.replica().changes)
    expect([client.secrets, clientSecret]).toEqual([[], undefined])
  })
})

describe('changing a client', () => {
  test('changes the given fields only, and writes an audit entry with their old and new values', async () => {
    const { clientId, revision } = await shared.add({ ...app, scope: 'read write' })
    const changed = await update(clientId, { clientName: ' Acme & Co ', scope: 'admin', firstParty: true })
    expect(changed).toMatchObject({
      ...app,
      clientName: 'Acme & Co',
      scope: 'admin',
      firstParty: true,
      disabled: false,
    })
    expect(changed.revision).not.toBe(revision)
    expect((await shared.auditOf(clientId)).slice(1)).toEqual([
      {
        action: 'client.update',
        before: { client_name: 'Acme', scope: 'read write', first_party: false },
        after: { client_name: 'Acme & Co', scope: 'admin', first_party: true },
      },
    ])
  })

  test('writes no audit entry and keeps the revision when nothing changes', async () => {
    const { clientId, revision, ...client } = await shared.add(app)
    const same = { ...app, scope: client.scope, firstParty: false, disabled: false }
    expect((await update(clientId, same)).revision).toBe(revision)
    expect((await update(clientId, {})).revision).toBe(revision)
    expect(await shared.auditOf(clientId)).toHaveLength(1)
  })

  test.each<[string, Partial<ClientChange>, string, string]>([
    ['its name', { clientName: '  ' }, 'invalid_request', 'client_name'],
    ['its name', { clientName: 'a\u202eb' }, 'invalid_request', 'client_name'],
    ['its redirect URIs', { redirectUris: ['http://app.example'] }, 'invalid_request', 'redirect_uris[0]'],
    ['its redirect URIs', { redirectUris: [] }, 'invalid_request', 'redirect_uris'],
    ['its grants', { grantTypes: ['implicit'] }, 'invalid_request', 'grant_types'],
    ['its grants', { grantTypes: [] }, 'invalid_request', 'grant_types'],
    ['its scope', { scope: '' }, 'invalid_scope', 'scope'],
    ['its scope', { scope: 'a\tb' }, 'invalid_scope', 'scope'],
  ])('checks %s by the rules of registration: %j', async (_, change, code, field) => {
    const { clientId, revision } = await shared.add(app)
    await expect(update(clientId, change)).rejects.toMatchObject({
      code,
      description: expect.stringContaining(field),
    })
    const [found] = await shared.replica().store.find([clientId])
    expect(found?.revision).toBe(revision)
    expect(await shared.auditOf(clientId)).toHaveLength(1)
  })

  test('refuses a grant that needs redirect URIs or a secret to a client without them', async () => {
    const { clientId } = await shared.add()
    await expect(update(clientId, { grantTypes: ['authorization_code'] })).rejects.toThrow('redirect_uris')
    const open = await shared.add({ ...app, tokenEndpointAuthMethod: 'none' })
    await expect(update(open.clientId, { grantTypes: ['client_credentials'] })).rejects.toThrow('secret')
  })

  test('changes a public client even when public clients are disabled', async () => {
    const { clientId } = await shared.add({ ...app, tokenEndpointAuthMethod: 'none' })
    const changes = { ...shared.replica().changes, methods: ['client_secret_basic'] as const }
    const change = { clientId, revision: 0n, clientName: 'Other' }
    expect(await updateClient(change, actor, changes)).toMatchObject({ clientName: 'Other' })
  })

  test('accepts only one of two changes of the same revision, and tells the other to reload', async () => {
    const replicas = [shared.replica(), shared.another()]
    for (let round = 0; round < 10; round += 1) {
      const { clientId, revision } = await shared.add(app)
      const results = await Promise.allSettled(
        replicas.map((replica, index) =>
          update(clientId, { clientName: `Name ${index}`, revision }, replica),
        ),
      )
      expect(results.filter(({ status }) => status === 'rejected')).toMatchObject([
        { reason: { code: 'outdated_revision', description: expect.stringContaining('Reload it') } },
      ])
      const winner = results.findIndex(({ status }) => status === 'fulfilled')
      const [found] = await shared.replica().store.find([clientId])
      expect(found?.clientName).toBe(`Name ${winner}`)
      expect(await shared.auditOf(clientId)).toHaveLength(2)
    }
  })

  test('refuses an unknown client', async () => {
    for (const clientId of ['', `client_${randomUUID()}`]) {
      await expect(update(clientId, { disabled: true })).rejects.toMatchObject(unknown)
      await expect(deleteClient(clientId, actor, shared.replica().changes)).rejects.toMatchObject(unknown)
      await expect(
        rotateClientSecret({ clientId, overlapSeconds: 0 }, actor, shared.replica().changes),
      ).rejects.toMatchObject(unknown)
    }
  })
})

describe('disabling a client', () => {
  test('revokes everything it was granted until then, and so does enabling it', async () => {
    const replica = shared.another()
    const { clientId } = await shared.add()
    const ended = { kind: 'client', target: clientId, issuedBefore: expect.any(Date) }
    const changed = { kind: 'client_change', target: clientId, issuedBefore: expect.any(Date) }
    for (const disabled of [true, false]) {
      replica.revoked.length = 0
      const before = Date.now()
      expect(await update(clientId, { disabled }, replica)).toMatchObject({ disabled })
      expect(replica.revoked).toHaveLength(2)
      expect(replica.revoked).toEqual(expect.arrayContaining([ended, changed]))
      const { issuedBefore } = replica.revoked.find(({ kind }) => kind === 'client') ?? {}
      expect(issuedBefore?.getTime()).toBeGreaterThanOrEqual(before)
      expect(issuedBefore?.getTime()).toBeLessThanOrEqual(Date.now() + 1)
      // Doing it again changes nothing.
      await update(clientId, { disabled }, replica)
      expect(replica.revoked).toHaveLength(2)
    }
    expect((await shared.auditOf(clientId)).map(({ after }) => after).slice(1)).toEqual([
      { disabled: true },
      { disabled: false },
    ])
  })

  test('reaches the token service at once even for more clients than there are connections', async () => {
    const replica = shared.another()
    const clients = await Promise.all(Array.from({ length: 25 }, () => shared.add()))
    await Promise.all(clients.map(({ clientId }) => update(clientId, { scope: 'write' }, replica)))
    expect(replica.revoked).toHaveLength(25)
  })

  test('and any other change reach the token service before the administrator is answered', async () => {
    const replica = shared.another()
    const { clientId } = await shared.add(app)
    const changed = { kind: 'client_change', target: clientId, issuedBefore: expect.any(Date) }
    await update(clientId, { scope: 'read' }, replica)
    expect(replica.revoked).toEqual([])
    await update(clientId, { scope: 'write' }, replica)
    expect(replica.revoked).toEqual([changed])
    await rotateClientSecret({ clientId, overlapSeconds: 0 }, actor, replica.changes)
    expect(replica.revoked).toEqual([changed, changed])
  })

  test('and deleting it succeed while the token service is away, and reach it later', async () => {
    const replica = shared.another()
    replica.tokenAway = true
    const one = await shared.add()
    const other = await shared.add()
    await update(one.clientId, { disabled: true }, replica)
    await deleteClient(other.clientId, actor, replica.changes)
    expect(replica.revoked).toEqual([])
    replica.tokenAway = false
    await replica.deliverAll()
    const revocations = replica.revoked.map(({ kind, target }) => ({ kind, target }))
    expect(revocations).toHaveLength(3)
    expect(revocations).toEqual(
      expect.arrayContaining([
        { kind: 'client_change', target: one.clientId },
        { kind: 'client', target: one.clientId },
        { kind: 'client', target: other.clientId },
      ]),
    )
  })
})

describe('deleting a client', () => {
  test('deletes its secrets, revokes its tokens for good and writes an audit entry', async () => {
    const replica = shared.another()
    const { clientId } = await shared.add({ ...app, firstParty: true })
    await deleteClient(clientId, actor, replica.changes)
    expect(await replica.store.find([clientId])).toEqual([])
    expect(await shared.query('select from clients.client_secrets where client_id = $1', [clientId])).toEqual(
      [],
    )
    expect(replica.revoked).toEqual([{ kind: 'client', target: clientId, issuedBefore: undefined }])
    expect((await shared.auditOf(clientId)).slice(1)).toMatchObject([
      {
        action: 'client.delete',
        before: { client_name: 'Acme', first_party: true, disabled: false },
        after: null,
      },
    ])
  })

  test('ends one whose id may come back by a revision before that of whoever comes back', async () => {
    const replica = shared.another()
    const chosen = { clientId: 'billing' }
    const { clientId } = await shared.add(chosen)
    await deleteClient(clientId, actor, replica.changes)
    const [ended, revoked, ...others] = replica.revoked
    expect(others).toEqual([])
    expect(revoked).toEqual({ kind: 'client', target: clientId, issuedBefore: expect.any(Date) })
    expect(ended).toMatchObject({ kind: 'deleted_client', target: expect.stringMatching(/^\d+:billing$/) })
    const { revision } = await shared.add(chosen)
    expect(revision).toBeGreaterThan(BigInt(ended?.target.split(':')[0] ?? ''))
  })

  test('refuses concurrent changes that come after it, and keeps the audit entries of those before it', async () => {
    const other = shared.another()
    for (let round = 0; round < 10; round += 1) {
      const { clientId } = await shared.add()
      const [deleted, ...others] = await Promise.allSettled([
        deleteClient(clientId, actor, shared.replica().changes),
        update(clientId, { disabled: true }, other),
        update(clientId, { clientName: 'Other' }),
        rotateClientSecret({ clientId, overlapSeconds: 60 }, actor, other.changes),
      ])
      expect(deleted).toMatchObject({ status: 'fulfilled' })
      const done = others.filter(({ status }) => status === 'fulfilled')
      for (const result of others)
        if (result.status === 'rejected') expect(result.reason).toMatchObject(unknown)
      expect(await shared.replica().store.find([clientId])).toEqual([])
      const actions = (await shared.auditOf(clientId)).map(({ action }) => action)
      expect(actions).toHaveLength(2 + done.length)
      expect(actions).toContain('client.delete')
    }
  })
})
