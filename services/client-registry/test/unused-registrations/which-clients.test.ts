import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { updateClient } from '../../src/changes/client-change.ts'
import { createResourceServer } from '../../src/resource-servers/resource-server-change.ts'
import { createRegistrationTokenStore } from '../../src/store/registration-tokens.ts'
import { createSecretUseStore } from '../../src/store/secret-uses.ts'
import { documentClients } from '../documents/document-clients.ts'
import { actor, plainSettings, useReplicas } from '../registry.ts'
import { days, unusedClients } from './unused-clients.ts'

const shared = useReplicas()
const { query } = shared
const { registered, age, cleaning, exists } = unusedClients(shared)
const someDocument = documentClients(shared)
beforeEach(async () => {
  await query('truncate clients.clients, clients.resource_servers, clients.audit_log cascade')
  shared.replica().revoked.length = 0
})

/** Registers a client as 0.6.0 does, which may run beside this release, or after a rollback. */
async function byFormerRegistry(): Promise<string> {
  const clientId = `client_${randomUUID()}`
  await query(
    `insert into clients.clients (client_id, client_name, scope, token_endpoint_auth_method)
    values ($1, 'Former', 'read', 'none')`,
    [clientId],
  )
  return clientId
}

test('a client that registered itself and that nobody has used is deleted after its time, without an audit entry', async () => {
  const unused = await registered()
  const young = await registered({ registeredDaysAgo: days - 1 })
  const { clean, events } = cleaning()
  expect(await clean()).toBe(1)
  expect([await exists(unused.clientId), await exists(young.clientId)]).toEqual([false, true])
  expect(events).toEqual([{ type: 'client_deleted', clientId: unused.clientId, metadata: {} }])
  expect(shared.replica().revoked).toMatchObject([
    { kind: 'deleted_client', target: expect.stringMatching(`^\\d+:${unused.clientId}$`) },
    { kind: 'client', target: unused.clientId, issuedBefore: expect.any(Date) },
  ])
  expect(await query('select from clients.audit_log')).toEqual([])
  expect(await clean()).toBe(0)
})

test('an administrator may give a client the id of one that was deleted, of which the other services forget everything', async () => {
  const { clientId } = await registered()
  await cleaning().clean()
  expect(await shared.add({ clientId })).toMatchObject({ clientId, createdBy: 'administrator' })
  expect(shared.replica().forgotten).toContain(clientId)
})

test.each<[string, () => Promise<string>]>([
  [
    'was created by an administrator, of which even the audit log knows nothing',
    async () => {
      const { clientId } = await shared.add()
      await query('truncate clients.audit_log')
      return clientId
    },
  ],
  ['registered with the registration token', async () => (await registered({ open: false })).clientId],
  ['a registry of 0.6.0 has registered', byFormerRegistry],
  [
    'a registry of 0.6.0 has registered, and that managed its registration long ago',
    async () => {
      const clientId = await byFormerRegistry()
      await createRegistrationTokenStore(shared.replica().database).noteUse(clientId)
      await query("update clients.registration_uses set managed_at = now() - interval '31 days'")
      return clientId
    },
  ],
  [
    'has authenticated with its secret',
    async () => {
      const { clientId, secret } = await registered()
      await createSecretUseStore(shared.replica().database)([secret])
      return clientId
    },
  ],
  [
    'has read its registration',
    async () => {
      const { clientId, read } = await registered()
      await read()
      return clientId
    },
  ],
  [
    'was changed by an administrator',
    async () => {
      const { clientId } = await registered()
      const change = { clientId, revision: 0n, clientName: 'Ours' }
      await updateClient(change, actor, shared.replica().changes)
      return clientId
    },
  ],
  [
    'is disabled',
    async () => {
      const { clientId } = await registered()
      await query('update clients.clients set disabled_at = now() where client_id = $1', [clientId])
      return clientId
    },
  ],
  [
    'belongs to a resource server',
    async () => {
      const { clientId } = await registered()
      const scopes = [{ scope: 'tools', description: 'Use the tools' }]
      const server = { identifier: 'https://api.example/', name: 'API', scopes, clientId }
      await createResourceServer(
        { ...plainSettings, ...server },
        actor,
        shared.replica().resourceServers.changes,
      )
      return clientId
    },
  ],
  [
    'has a metadata document',
    async () => {
      const { clientId, read } = someDocument()
      await read()
      return clientId
    },
  ],
])('a client that %s stays', async (_what, make) => {
  const unused = await registered()
  const clientId = await make()
  const [row] = await query(
    "select created_at > now() - interval '30 days' as young from clients.clients where client_id = $1",
    [clientId],
  )
  if (row?.young) await age(clientId, days + 1)
  const { clean, asked } = cleaning()
  expect(await clean()).toBe(1)
  expect([asked, await exists(clientId)]).toEqual([[unused.clientId], true])
})

test('a client that manages its registration stays for as long as after its registration, whatever it has changed', async () => {
  const { clientId, replace } = await registered()
  await replace('Editor')
  const { clean } = cleaning()
  expect(await clean()).toBe(0)
  await query("update clients.registration_uses set managed_at = now() - interval '31 days'")
  expect(await clean()).toBe(1)
  expect(await exists(clientId)).toBe(false)
})

test('a client manages its registration again and again, and that is stored once a day', async () => {
  const { clientId } = await registered()
  const { noteUse } = createRegistrationTokenStore(shared.replica().database)
  const stored = () =>
    query(
      "select managed_at > now() - interval '1 hour' as recent, xmin::text from clients.registration_uses",
    )
  await noteUse(clientId)
  const first = await stored()
  await noteUse(clientId)
  expect(await stored()).toEqual(first)
  await query("update clients.registration_uses set managed_at = now() - interval '25 hours'")
  await noteUse(clientId)
  expect(await stored()).toMatchObject([{ recent: true }])
})

test('a client of which another service knows a use stays for good, and nobody is asked about it again', async () => {
  const [first, second, unused] = [await registered(), await registered(), await registered()]
  const asked: (readonly string[])[] = []
  const knows = (known: string) => async (clientIds: readonly string[]) => {
    asked.push(clientIds)
    return clientIds.filter((clientId) => clientId === known)
  }
  const { clean } = cleaning({ findUsed: [knows(first.clientId), knows(second.clientId)] })
  expect(await clean()).toBe(1)
  // The second one is spared what the first one knows.
  expect(asked.map((ids) => ids.toSorted())).toEqual([
    [first.clientId, second.clientId, unused.clientId].toSorted(),
    [second.clientId, unused.clientId].toSorted(),
  ])
  expect([await exists(first.clientId), await exists(second.clientId)]).toEqual([true, true])
  const later = cleaning()
  expect([await later.clean(), later.asked]).toEqual([0, []])
})
