import { hash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { recordedEvents } from '../../kit/test/recorded-events.ts'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import { deleteClient, updateClient } from '../src/client-change.ts'
import { getRegisteredClient, replaceRegisteredClient } from '../src/registered-client.ts'
import { registerClient } from '../src/registration.ts'
import { createResourceServer } from '../src/resource-server-change.ts'
import { createUnusedRegistrationStore, deleteSystemEntries } from '../src/store/unused-registrations.ts'
import { createUnusedRegistrationCleaning, type UnusedRegistrationDeps } from '../src/unused-registrations.ts'
import { documentClients } from './document-clients.ts'
import { actor, useReplicas } from './registry.ts'

const shared = useReplicas()
const { query } = shared
const someDocument = documentClients(shared)
beforeEach(async () => {
  await query('truncate clients.clients, clients.resource_servers, clients.audit_log cascade')
  shared.replica().revoked.length = 0
})

const redirectUris = ['https://app.example/cb']
const days = 30

/** A client that registered itself, and what it can do with its registration. */
async function registered({ registeredDaysAgo = days + 1, open = true } = {}) {
  const deps = { ...shared.replica().registered, full: true }
  const { client, clientSecret, registrationAccessToken } = await registerClient(
    { redirectUris, grantTypes: ['authorization_code'], scope: 'read' },
    { ...deps, store: shared.replica().store, open },
  )
  const { clientId } = client
  await age(clientId, registeredDaysAgo)
  const access = {
    ...{ clientId, registrationAccessToken: registrationAccessToken ?? '', ipAddress: '192.0.2.9' },
  }
  return {
    ...{ clientId, clientSecret },
    read: () => getRegisteredClient(access, deps),
    replace: (clientName: string) =>
      replaceRegisteredClient(access, { redirectUris, grantTypes: [], clientName }, deps),
  }
}

const age = (clientId: string, ago: number) =>
  query('update clients.clients set created_at = now() - make_interval(days => $2) where client_id = $1', [
    clientId,
    ago,
  ])

const useSecret = async ({
  clientId,
  clientSecret = '',
}: {
  clientId: string
  clientSecret?: string | undefined
}) => {
  const secrets = [{ clientId, digest: hash('sha256', clientSecret, 'buffer') }]
  shared.replica().lookup.noteSecretUse(secrets)
  await expect
    .poll(() => query('select from clients.client_secret_uses where client_id = $1', [clientId]))
    .toHaveLength(1)
}

/** A clean-up whose other services know no use unless a test says otherwise, and what it did. */
function cleaning(changes: Partial<UnusedRegistrationDeps> = {}) {
  const { database, changes: others } = shared.replica()
  const { emit, events } = recordedEvents()
  const { log, lines } = recordedLog()
  const asked: string[] = []
  const clean = createUnusedRegistrationCleaning({
    ...{ emit, log, deliver: others.deliver, isStopping: () => false },
    store: createUnusedRegistrationStore(database, days),
    findUsed: [
      async (clientIds) => {
        asked.push(...clientIds)
        return []
      },
    ],
    ...changes,
  })
  return { clean, events, lines, asked }
}

const exists = async (clientId: string) =>
  (await query('select from clients.clients where client_id = $1', [clientId])).length === 1

test('a client that registered itself and that nobody has used is deleted after its time, as by an administrator', async () => {
  const unused = await registered()
  const young = await registered({ registeredDaysAgo: days - 1 })
  const { clean, events } = cleaning()
  expect(await clean()).toBe(1)
  expect([await exists(unused.clientId), await exists(young.clientId)]).toEqual([false, true])
  expect(events).toEqual([{ type: 'client_deleted', clientId: unused.clientId, metadata: {} }])
  expect(shared.replica().revoked).toEqual([
    { kind: 'client', target: unused.clientId, issuedBefore: undefined },
  ])
  expect(
    await query('select actor_kind, actor_id, ip_address, action, target, before from clients.audit_log'),
  ).toEqual([
    {
      ...{ actor_kind: 'system', actor_id: 'system', ip_address: '', action: 'client.delete' },
      target: unused.clientId,
      before: { client_name: unused.clientId, created_at: expect.any(String) },
    },
  ])
  expect(await clean()).toBe(0)
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
  [
    'has authenticated with its secret',
    async () => {
      const client = await registered()
      await useSecret(client)
      return client.clientId
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
        { ...server, tokenLifetime: undefined, openRegistration: false },
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
  [
    'registered so long ago that a use may be forgotten',
    async () => (await registered({ registeredDaysAgo: 86 })).clientId,
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
  const { read } = await registered()
  const stored = () =>
    query(
      "select managed_at > now() - interval '1 hour' as recent, xmin::text from clients.registration_uses",
    )
  await read()
  const first = await stored()
  await read()
  expect(await stored()).toEqual(first)
  await query("update clients.registration_uses set managed_at = now() - interval '25 hours'")
  await read()
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

test('while another service does not answer, nothing is deleted', async () => {
  const unused = await registered()
  let isAway = true
  const { clean } = cleaning({
    findUsed: [
      async () => [],
      async () => {
        if (isAway) throw new Error('the identity service is away')
        return []
      },
    ],
  })
  await expect(clean()).rejects.toThrow('the identity service is away')
  expect([await exists(unused.clientId), shared.replica().revoked]).toEqual([true, []])
  isAway = false
  expect(await clean()).toBe(1)
})

test('a client that is used while the others are asked stays', async () => {
  const client = await registered()
  const { clean } = cleaning({
    findUsed: [
      async () => {
        await useSecret(client)
        return []
      },
    ],
  })
  expect([await clean(), await exists(client.clientId)]).toEqual([0, true])
})

test('a client that cannot be deleted fails alone, is named in the log, and is tried again', async () => {
  const [one, bad, other] = [await registered(), await registered(), await registered()]
  await query(`create function clients.refuse() returns trigger language plpgsql as $$
    begin raise exception 'the row is broken'; end $$`)
  await query(`create trigger refuse before delete on clients.clients for each row
    when (old.client_id = '${bad.clientId}') execute function clients.refuse()`)
  const { clean, lines, events } = cleaning()
  await expect(clean()).rejects.toThrow('the row is broken')
  expect(events.map(({ clientId }) => clientId).toSorted()).toEqual([one.clientId, other.clientId].toSorted())
  expect(lines).toMatchObject([
    { level: 40, clientId: bad.clientId, msg: expect.stringContaining('tried again') },
  ])
  expect(await query('select from clients.audit_log where target = $1', [bad.clientId])).toEqual([])
  await query('drop function clients.refuse cascade')
  expect(await clean()).toBe(1)
})

test('more clients than a batch are deleted in one round, by two replicas at once each client once', async () => {
  await query(`
    insert into clients.clients (client_id, client_name, scope, token_endpoint_auth_method, created_at)
    select 'client_' || gen_random_uuid(), 'flood', 'read', 'none', now() - interval '40 days'
    from generate_series(1, 250)`)
  const other = createUnusedRegistrationStore(shared.another().database, days)
  const both = await Promise.all([cleaning().clean(), cleaning({ store: other }).clean()])
  expect(both[0] + both[1]).toBe(250)
  expect(await query('select from clients.clients')).toEqual([])
  expect(await query('select from clients.audit_log')).toHaveLength(250)
})

test('a process that shuts down deletes no more', async () => {
  const unused = await registered()
  const { clean, asked } = cleaning({ isStopping: () => true })
  expect([await clean(), asked, await exists(unused.clientId)]).toEqual([0, [], true])
})

test('the audit entries of the server itself are kept for 90 days, and all others for ever', async () => {
  const [unused, own] = [await registered(), await shared.add()]
  await cleaning().clean()
  await deleteClient(own.clientId, { ...actor, kind: 'client', id: 'system' }, shared.replica().changes)
  const entries = () => query('select target, actor_id from clients.audit_log order by entry_id')
  const before = await entries()
  const { database } = shared.replica()
  expect(await deleteSystemEntries(database)).toBe(0)
  const makeOld = (ago: number) =>
    query(
      `update clients.audit_log set entry_id = (
        lpad(to_hex((extract(epoch from now() - make_interval(days => $1)) * 1000)::bigint), 12, '0')
        || right(replace(entry_id::text, '-', ''), 20))::uuid`,
      [ago],
    )
  await makeOld(89)
  expect([await deleteSystemEntries(database), await entries()]).toEqual([0, expect.arrayContaining(before)])
  await makeOld(91)
  expect(await deleteSystemEntries(database)).toBe(1)
  expect((await entries()).map(({ target }) => target)).not.toContain(unused.clientId)
  expect(await entries()).toHaveLength(before.length - 1)
})
