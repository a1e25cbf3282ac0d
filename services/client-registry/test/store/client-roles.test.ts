import { beforeEach, describe, expect, test } from 'vitest'
import { type ClientChange, updateClient } from '../../src/changes/client-change.ts'
import { importClients } from '../../src/changes/client-import.ts'
import { registerClient } from '../../src/changes/registration.ts'
import {
  createResourceServer,
  deleteResourceServer,
} from '../../src/resource-servers/resource-server-change.ts'
import { actor, machine, plainSettings, useReplicas } from '../registry.ts'

const shared = useReplicas()
const resource = 'https://orders.example'
const [reader, editor] = ['reader', 'editor'].map((role) => ({ role, resource }))
let resourceId = ''
beforeEach(async () => {
  await shared.query('truncate clients.clients, clients.resource_servers cascade')
  const roles = ['reader', 'editor'].map((name) => ({
    ...{ name, description: '', scopes: [], organizationsMayGive: false },
  }))
  const settings = { ...plainSettings, roles, identifier: resource, name: 'Orders' }
  const scopes = [{ scope: 'orders:read', description: 'Read' }]
  ;({ resourceId } = await createResourceServer(
    { ...settings, scopes },
    actor,
    shared.replica().resourceServers.changes,
  ))
  shared.replica().revoked.length = 0
})

const update = (clientId: string, change: Omit<ClientChange, 'clientId' | 'revision'>) =>
  updateClient({ clientId, revision: 0n, ...change }, actor, shared.replica().changes)
const [owner, another] = [1, 2].map((digit) => `org_01980000-0000-7000-8000-00000000000${digit}`)
const kinds = () => shared.replica().revoked.map(({ kind }) => kind)
const unknown = { code: 'invalid_request', description: expect.stringContaining('roles is invalid: entry ') }

describe('the roles of a client', () => {
  test('are kept once, and are in the record that the token service looks up', async () => {
    const { clientId } = await shared.add({
      metadata: { roles: [reader, reader, editor], roles_of: resource, claims_shape: 'keycloak' },
    })
    const [record] = await shared.replica().store.find([clientId])
    expect(record?.metadata).toEqual({
      ...{ roles: [reader, editor], roles_of: resource, claims_shape: 'keycloak' },
    })
    expect((await shared.auditOf(clientId))[0]).toMatchObject({ after: { roles: [reader, editor] } })
  })

  test('must be those of a resource server when they are set', async () => {
    const { clientId } = await shared.add()
    for (const wrong of [
      { resource, role: 'Reader' },
      { resource: `${resource}/`, role: 'reader' },
      { resource: 'https://other.example', role: 'reader' },
    ]) {
      const metadata = { roles: [reader, wrong] }
      await expect(update(clientId, { metadata })).rejects.toMatchObject(unknown)
      await expect(shared.add({ metadata })).rejects.toMatchObject(unknown)
    }
  })

  test('are not changed by another change, nor by the same list', async () => {
    const { clientId, revision } = await shared.add({ metadata: { roles: [reader] } })
    expect((await update(clientId, { metadata: { roles: [{ resource, role: 'reader' }] } })).revision).toBe(
      revision,
    )
    const named = await update(clientId, { clientName: 'Jobs', metadata: { software_version: '2' } })
    expect(named.metadata).toEqual({ roles: [reader], software_version: '2' })
    expect(kinds()).toEqual(['client_change'])
  })

  test('end the tokens without a user when one is taken, and nothing when one is given', async () => {
    const { clientId } = await shared.add({ metadata: { roles: [reader] } })
    await update(clientId, { metadata: { roles: [editor, reader] } })
    expect(kinds()).toEqual(['client_change'])
    shared.replica().revoked.length = 0
    await update(clientId, { metadata: { roles: [editor] } })
    expect(shared.replica().revoked).toMatchObject([
      { kind: 'client_change', target: clientId },
      { kind: 'own', target: clientId, issuedBefore: expect.any(Date) },
    ])
    shared.replica().revoked.length = 0
    const { metadata } = await update(clientId, { metadata: { roles: null } })
    expect([metadata, kinds()]).toEqual([{}, ['client_change', 'own']])
  })

  test.each([[another], [null]])(
    'end with the organization of the client the tokens without a user: %s instead of it',
    async (organization) => {
      const { clientId } = await shared.add({ metadata: { organization: owner } })
      await update(clientId, { metadata: { organizations: 'optional' } })
      expect(kinds()).toEqual(['client_change'])
      shared.replica().revoked.length = 0
      await update(clientId, { metadata: { organization } })
      expect(kinds()).toEqual(['client_change', 'own'])
    },
  )

  test('stay in the list when the resource server is deleted, and must be removed before others are set', async () => {
    const { clientId } = await shared.add({ metadata: { roles: [reader] } })
    await deleteResourceServer(resourceId, actor, shared.replica().resourceServers.changes)
    const named = await update(clientId, { clientName: 'Jobs' })
    expect(named.metadata).toEqual({ roles: [reader] })
    await expect(update(clientId, { metadata: { roles: [reader] } })).rejects.toMatchObject(unknown)
    expect((await update(clientId, { metadata: { roles: [] } })).metadata).toEqual({})
  })

  test('are never those of a client that registers itself', async () => {
    const { client } = await registerClient(
      { ...machine, metadata: { roles: [reader], roles_of: resource, claims_shape: 'keycloak' } },
      shared.replica().registration,
    )
    expect(client.metadata).toEqual({})
  })

  test('are kept by an import where they exist', async () => {
    const imported = (role: string) => ({
      registration: { ...machine, scope: 'read', metadata: { roles: [{ resource, role }] } },
      ...{ firstParty: false, disabled: false, createdAt: undefined },
    })
    const results = await importClients(
      { clients: [imported('reader'), imported('none')], dryRun: false },
      actor,
      shared.replica().admin.imports,
    )
    expect(results).toMatchObject([
      { outcome: 'created', reason: undefined },
      { outcome: 'created', reason: expect.stringContaining('Left out: roles is invalid: entry 1') },
    ])
    const ids = results.flatMap(({ clientId }) => clientId ?? [])
    const records = await shared.replica().store.find(ids)
    const byId = new Map(records.map(({ clientId, metadata }) => [clientId, metadata]))
    expect(ids.map((id) => byId.get(id))).toEqual([{ roles: [reader] }, {}])
  })
})
