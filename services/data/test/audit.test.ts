import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepNothing } from '@gatehouse/data/pending-events'
import { actorMessage } from '@gatehouse/kit/actor'
import type { Call } from '@gatehouse/kit/rpc/rpc-server'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import type { ListAuditEntriesRequest, ListAuditEntriesResponse } from '@gatehouse/proto/audit/v1'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditedTransactions } from '../src/audit.ts'
import { auditRpcs } from '../src/audit-list.ts'

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

const everything = { limit: 50, concernedIds: [] }

async function list(request: Partial<ListAuditEntriesRequest> = {}) {
  const { listAuditEntries } = auditRpcs(database, 'clients', keepNothing).handlers
  const call: Call = { deadline: Date.now() + 5_000, isCancelled: () => false }
  const answer = (await listAuditEntries?.({ ...everything, ...request }, call)) as ListAuditEntriesResponse
  return answer.entries
}
const namesOf = async (request: Partial<ListAuditEntriesRequest>) =>
  (await list(request)).map(({ action, target }) => `${action} ${target}`)

test('the log is read the newest first, by actor, target, action and the time that is in the ids', async () => {
  const inTransaction = auditedTransactions(database, 'clients', keepNothing)
  for (const [id, action, target] of [
    ['ann', 'client.create', 'one'],
    ['bob', 'client.update', 'one'],
    ['ann', 'client.update', 'two'],
  ] as const) {
    const actor = { kind: 'user' as const, id, name: id, ipAddress: '192.0.2.7' }
    await inTransaction((_, write) => write({ actor, action, target, after: { disabled: true } }))
    // Ids of one millisecond have no order.
    await sleep(2)
  }
  const all = ['client.update two', 'client.update one', 'client.create one']
  expect(await namesOf({})).toEqual(all)
  expect(await namesOf({ limit: 2 })).toEqual(all.slice(0, 2))
  expect(await namesOf({ actorId: 'ann' })).toEqual([all[0], all[2]])
  expect(await namesOf({ target: 'one' })).toEqual(all.slice(1))
  expect(await namesOf({ action: 'client.update' })).toEqual(all.slice(0, 2))
  expect(await namesOf({ action: 'client.update', actorId: 'bob' })).toEqual([all[1]])
  expect(await namesOf({ action: 'client' })).toEqual([])
  const [newest, middle, oldest] = await list()
  expect(await namesOf({ beforeEntryId: middle?.entryId ?? '' })).toEqual([all[2]])
  expect(await namesOf({ fromEntryId: middle?.entryId ?? '' })).toEqual(all.slice(0, 2))
  const between = { fromEntryId: oldest?.entryId ?? '', beforeEntryId: newest?.entryId ?? '' }
  expect(await namesOf(between)).toEqual(all.slice(1))
})

test('the log is read by everybody whom an entry concerns, as actor or as target, and by address', async () => {
  await database.pool.query('truncate clients.audit_log')
  const inTransaction = auditedTransactions(database, 'clients', keepNothing)
  for (const [id, target, ipAddress] of [
    ['ann', 'bob', '192.0.2.7'],
    ['bob', 'shop', '192.0.2.8'],
    ['ann', 'shop', '192.0.2.7'],
    ['ann', 'ann', '192.0.2.8'],
  ] as const) {
    const actor = { kind: 'user' as const, id, name: id, ipAddress }
    await inTransaction((_, write) => write({ actor, action: `by ${id} on`, target }))
    await sleep(2)
  }
  const all = ['by ann on ann', 'by ann on shop', 'by bob on shop', 'by ann on bob']
  expect(await namesOf({ concernedIds: ['ann'] })).toEqual([all[0], all[1], all[3]])
  expect(await namesOf({ concernedIds: ['ann'], limit: 2 })).toEqual(all.slice(0, 2))
  expect(await namesOf({ concernedIds: ['bob'] })).toEqual(all.slice(2))
  expect(await namesOf({ concernedIds: ['bob', 'shop'] })).toEqual([all[2]])
  expect(await namesOf({ concernedIds: ['shop', 'ann'], action: 'by ann on' })).toEqual([all[1]])
  expect(await namesOf({ concernedIds: ['nobody'] })).toEqual([])
  expect(await namesOf({ ipAddress: '192.0.2.8' })).toEqual([all[0], all[2]])
  expect(await namesOf({ ipAddress: '192.0.2.7', concernedIds: ['bob'] })).toEqual([all[3]])
  const [, newest] = await list({ concernedIds: ['ann'] })
  expect(await namesOf({ concernedIds: ['ann'], beforeEntryId: newest?.entryId ?? '' })).toEqual([all[3]])
})

test('only somebody who may administer everything erases', async () => {
  const { eraseUserFromAudit } = auditRpcs(database, 'clients', keepNothing).handlers
  const call: Call = { deadline: Date.now() + 5_000, isCancelled: () => false }
  const erase = (limited: boolean) => {
    const actor = actorMessage({ kind: 'user', id: 'ann', name: 'ann', ipAddress: '192.0.2.7', limited })
    return eraseUserFromAudit?.({ userId: randomUUID(), email: undefined, actor }, call)
  }
  await expect(erase(true)).rejects.toMatchObject({ code: 'access_denied' })
  expect(await erase(false)).toEqual({ entries: 0 })
})
