import type { Actor } from '@gatehouse/kit/actor'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import type { StoredEvent } from '@gatehouse/proto/events/v1'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { auditedTransactions } from '../src/audit.ts'
import { deleteExpiredRows } from '../src/expired-rows.ts'
import { createEventKeeping, deliverEvents, expiringPendingEvents } from '../src/pending-events.ts'

let created: TestDatabase
let database: Database

beforeAll(async () => {
  created = await createDatabase()
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 4 })
})
afterAll(async () => {
  await database.close()
  await created.drop()
})
beforeEach(() => database.pool.query('truncate clients.audit_log, clients.pending_events'))

const keep = createEventKeeping('clients', new Set(['administrator_acted']))
const actor: Actor = { kind: 'user', id: 'u', name: 'ann', ipAddress: '192.0.2.7', userAgent: 'curl/8.5.0' }
const act = (target: string) =>
  auditedTransactions(
    database,
    'clients',
    keep,
  )((_, write) => write({ actor, action: 'client.update', target }))
const waiting = async () =>
  (await database.pool.query('select count(*)::int as count from clients.pending_events')).rows[0].count
const targetOf = ({ event }: StoredEvent) => JSON.parse(event?.metadata ?? '{}').target

test('an entry and its event are stored together, or neither is', async () => {
  await act('shop')
  const failing = auditedTransactions(
    database,
    'clients',
    keep,
  )(async (_, write) => {
    await write({ actor, action: 'client.update', target: 'lost' })
    throw new Error('the change fails')
  })
  await expect(failing).rejects.toThrow('the change fails')
  const sent: StoredEvent[] = []
  expect(await deliverEvents(database, 'clients', async (events) => sent.push(...events))).toBe(1)
  const { rows } = await database.pool.query('select entry_id from clients.audit_log')
  expect(
    sent.map(({ event }) => [event?.eventType, event?.userId, JSON.parse(event?.metadata ?? '')]),
  ).toEqual([
    [
      'administrator_acted',
      'u',
      {
        ...{ action: 'client.update', target: 'shop', entry_id: rows[0].entry_id },
        ...{ ip_address: '192.0.2.7', user_agent: 'curl/8.5.0' },
      },
    ],
  ])
  expect(await waiting()).toBe(0)
})

test('events stay until they are taken, in their order and with the same ids', async () => {
  for (const target of ['one', 'two']) await act(target)
  const tried: StoredEvent[] = []
  const away = async (events: StoredEvent[]) => {
    tried.push(...events)
    throw new Error('the events service is away')
  }
  await expect(deliverEvents(database, 'clients', away)).rejects.toThrow('is away')
  const sent: StoredEvent[] = []
  await deliverEvents(database, 'clients', async (events) => sent.push(...events))
  expect(sent.map(targetOf)).toEqual(['one', 'two'])
  expect(sent).toEqual(tried)
})

test('replicas that deliver at once do not wait for each other, and send none twice', async () => {
  for (const target of ['one', 'two']) await act(target)
  const sent: string[] = []
  const take = async (events: StoredEvent[]) => {
    sent.push(...events.map(targetOf))
    // Another replica looks while these are on their way.
    expect(
      await deliverEvents(database, 'clients', async (others) => sent.push(...others.map(targetOf))),
    ).toBe(0)
  }
  expect(await deliverEvents(database, 'clients', take)).toBe(2)
  expect(sent).toEqual(['one', 'two'])
})

test('only events that are emitted are stored, and none waits longer than 7 days', async () => {
  const chosen = createEventKeeping('clients', new Set(['client_deleted']))
  await auditedTransactions(
    database,
    'clients',
    chosen,
  )((_, write) => write({ actor, action: 'client.update', target: 'shop' }))
  expect(await waiting()).toBe(0)
  for (const target of ['old', 'new']) await act(target)
  await database.pool.query(
    `update clients.pending_events set created_at = now() - interval '7 days 1 minute' where event like '%old%'`,
  )
  expect(await deleteExpiredRows(database, expiringPendingEvents('clients'))).toBe(1)
  expect(await waiting()).toBe(1)
})
