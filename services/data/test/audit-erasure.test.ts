import type { Actor } from '@gatehouse/kit/actor'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AuditEntry, auditedTransactions } from '../src/audit.ts'
import { eraseUser } from '../src/audit-log/erasure.ts'
import { keepNothing } from '../src/pending-events.ts'

let created: TestDatabase
let database: Database

beforeAll(async () => {
  created = await createDatabase()
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 2 })
})
afterAll(async () => {
  await database.close()
  await created.drop()
})
beforeEach(() => database.pool.query('truncate identity.audit_log'))

const ann: Actor = {
  kind: 'user',
  id: '0190f0a0-0000-7000-8000-0000000000b1',
  name: 'ann',
  ipAddress: '192.0.2.7',
  userAgent: 'A browser of Ann',
}
const root = {
  kind: 'user',
  id: '0190f0a0-0000-7000-8000-0000000000b2',
  name: 'root',
  ipAddress: '192.0.2.8',
} as const
const audited = () => auditedTransactions(database, 'identity', keepNothing)
const add = (entry: AuditEntry) => audited()((_, write) => write(entry))
const erase = (email?: string) => eraseUser(audited(), 'identity', { userId: ann.id, email }, root)
const log = async () =>
  (
    await database.pool.query(
      'select action, target, actor_id, actor_name, ip_address, user_agent, before, after from identity.audit_log order by at',
    )
  ).rows

test('nothing that is a person’s own stays in the log, and every entry does', async () => {
  const before = { username: 'ann', email: 'ann@example.com', admin_role: null }
  await add({ actor: root, action: 'user.invite', target: 'mail-1', after: { email: 'Ann@example.com' } })
  await add({
    actor: root,
    action: 'user.invite',
    target: 'mail-2',
    after: { email: 'ann@elsewhere.example' },
  })
  await add({ actor: root, action: 'user.create', target: ann.id, after: before })
  await add({
    actor: root,
    action: 'users.import',
    target: '',
    after: { users: 2, administrators: ['ann', 'bob'] },
  })
  await add({ actor: ann, action: 'client.update', target: 'shop', before: { disabled: false } })
  await add({ actor: ann, action: 'user.delete', target: ann.id, before })
  expect(await erase('ann@elsewhere.example')).toBe(6)
  const entries = await log()
  expect(JSON.stringify(entries)).not.toMatch(/ann|192\.0\.2\.7|browser/i)
  const mark = { username: 'erased', email: 'erased', admin_role: 'erased' }
  const byRoot = { actor_id: root.id, actor_name: 'root', ip_address: '192.0.2.8', user_agent: null }
  const byAnn = { actor_id: ann.id, actor_name: 'erased', ip_address: 'erased', user_agent: 'erased' }
  expect(entries).toEqual([
    { action: 'user.invite', target: 'mail-1', ...byRoot, before: null, after: { email: 'erased' } },
    { action: 'user.invite', target: 'mail-2', ...byRoot, before: null, after: { email: 'erased' } },
    { action: 'user.create', target: ann.id, ...byRoot, before: null, after: mark },
    {
      ...{ action: 'users.import', target: '', ...byRoot, before: null },
      after: { users: 2, administrators: ['erased', 'bob'] },
    },
    { action: 'client.update', target: 'shop', ...byAnn, before: { disabled: false }, after: null },
    { action: 'user.delete', target: ann.id, ...byAnn, before: mark, after: null },
    { action: 'user.erase', target: ann.id, ...byRoot, before: null, after: { entries: 6 } },
  ])
})

test('a second time changes nothing, and others keep their values', async () => {
  await add({ actor: root, action: 'user.update', target: root.id, before: { email: 'root@example.com' } })
  await add({ actor: ann, action: 'user.update', target: ann.id, after: {} })
  // A client that was imported may have the id of a user.
  await add({ actor: root, action: 'client.update', target: ann.id, after: { client_name: 'Shop' } })
  expect(await erase()).toBe(1)
  const once = await log()
  expect(once.map(({ before, after }) => before ?? after)).toEqual([
    { email: 'root@example.com' },
    {},
    { client_name: 'Shop' },
    { entries: 1 },
  ])
  expect(await erase()).toBe(0)
  expect(await log()).toEqual(once)
})

test('a name that is the mark hides no address', async () => {
  await add({ actor: { ...ann, name: 'erased' }, action: 'client.update', target: 'shop' })
  expect(await erase()).toBe(1)
  expect((await log())[0]).toMatchObject({ ip_address: 'erased', user_agent: 'erased' })
})

test('of somebody who acted very often, all entries are erased, in transactions that are bounded', async () => {
  await database.pool.query(
    `insert into identity.audit_log (entry_id, actor_kind, actor_id, actor_name, ip_address, action, target)
    select gen_random_uuid(), 'user', $1, 'ann', '192.0.2.7', 'client.update', 'shop' from generate_series(1, 4500)`,
    [ann.id],
  )
  expect(await erase()).toBe(4_500)
  const entries = await log()
  expect(entries.filter(({ actor_name }) => actor_name === 'ann')).toEqual([])
  expect(entries.filter(({ action }) => action === 'user.erase').map(({ after }) => after.entries)).toEqual([
    2_000, 2_000, 500,
  ])
})

test('an address among the contacts of clients is erased, and those of others stay', async () => {
  await database.pool.query('truncate clients.audit_log')
  const inClients = auditedTransactions(database, 'clients', keepNothing)
  const change = (before: object, after: object) =>
    inClients((_, write) => write({ actor: root, action: 'client.update', target: 'shop', before, after }))
  await change(
    { contacts: ['joann@example.com', 'mailto:Ann@example.com'] },
    { contacts: [], client_name: 'ann@example.com' },
  )
  await change({ contacts: '["Ann <ann@example.com>","bob@exam…' }, { contacts: ['bob@example.com'] })
  await change({ disabled: true }, { contacts: null })
  expect(await eraseUser(inClients, 'clients', { userId: ann.id, email: 'ANN@example.com' }, root)).toBe(2)
  const { rows } = await database.pool.query(
    `select before, after from clients.audit_log where action = 'client.update' order by entry_id`,
  )
  expect(rows).toEqual([
    {
      before: { contacts: ['joann@example.com', 'erased'] },
      after: { contacts: [], client_name: 'ann@example.com' },
    },
    { before: { contacts: 'erased' }, after: { contacts: ['bob@example.com'] } },
    { before: { disabled: true }, after: { contacts: null } },
  ])
})

test('of invitations to organizations the address goes, and the name of whoever invited somebody', async () => {
  const email = 'Ann@example.com'
  await add({ actor: root, action: 'user.create', target: ann.id, after: { username: 'ann', email } })
  await add({ actor: root, action: 'organization.invite', target: 'org_a', after: { slug: 'acme', email } })
  const before = { slug: 'acme', email, role: 'member' }
  await add({ actor: root, action: 'organization.invitation.withdraw', target: 'org_a', before })
  await add({
    actor: root,
    action: 'organization.join',
    target: 'org_a',
    after: { invited_by: 'ann', role: 'admin' },
  })
  const others = [
    { action: 'organization.invite', after: { email: 'ben@example.com' } },
    { action: 'organization.join', after: { invited_by: 'ben', role: 'member' } },
  ]
  for (const other of others) await add({ actor: root, target: 'org_b', ...other })
  expect(await erase()).toBe(4)
  const entries = (await log()).map(({ before, after }) => before ?? after)
  expect(entries.slice(1, 6)).toEqual([
    { slug: 'acme', email: 'erased' },
    { slug: 'acme', email: 'erased', role: 'member' },
    { invited_by: 'erased', role: 'admin' },
    ...others.map(({ after }) => after),
  ])
  expect(await erase()).toBe(0)
})
