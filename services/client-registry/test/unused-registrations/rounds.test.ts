import type { Database } from '@gatehouse/prisma/database'
import { beforeEach, expect, test } from 'vitest'
import { createSecretUseStore } from '../../src/store/secret-uses.ts'
import { createUnusedRegistrationStore } from '../../src/store/unused-registrations.ts'
import { useReplicas } from '../registry.ts'
import { days, unusedClients } from './unused-clients.ts'

const shared = useReplicas()
const { query } = shared
const { registered, cleaning, exists } = unusedClients(shared)
beforeEach(async () => {
  await query('truncate clients.clients, clients.audit_log cascade')
  shared.replica().revoked.length = 0
})

/** Makes the deletion of these clients fail. @returns a function that ends that */
async function refuseDeletionsOf(clientIds: readonly string[]) {
  await query(`create function clients.refuse() returns trigger language plpgsql as $$
    begin raise exception 'the row is broken'; end $$`)
  await query(`create trigger refuse before delete on clients.clients for each row
    when (old.client_id = any('{${clientIds}}')) execute function clients.refuse()`)
  return () => query('drop function clients.refuse cascade')
}

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
  const { clientId, secret } = await registered()
  const { clean } = cleaning({
    findUsed: [
      async () => {
        await createSecretUseStore(shared.replica().database)([secret])
        return []
      },
    ],
  })
  expect([await clean(), await exists(clientId)]).toEqual([0, true])
})

test('a client stays that is first used while others of its batch are deleted', async () => {
  const clientIds: string[] = []
  for (let index = 0; index < 15; index += 1)
    clientIds.push((await registered({ registeredDaysAgo: days + 100 - index })).clientId)
  const used: string[] = []
  const { clean } = cleaning({
    findUsed: [async (asked) => asked.filter((clientId) => used.includes(clientId))],
    emit: () => void used.push(...clientIds.slice(10)),
  })
  expect(await clean()).toBe(10)
  expect(await query('select client_id from clients.clients order by created_at')).toEqual(
    clientIds.slice(10).map((clientId) => ({ client_id: clientId })),
  )
})

test('what was deleted before another service fails to answer is in the log', async () => {
  const clientIds: string[] = []
  for (let index = 0; index < 11; index += 1)
    clientIds.push((await registered({ registeredDaysAgo: days + 100 - index })).clientId)
  let answers = 0
  const { clean, lines } = cleaning({
    findUsed: [
      async () => {
        answers += 1
        if (answers > 1) throw new Error('the token service is away')
        return []
      },
    ],
  })
  await expect(clean()).rejects.toThrow('the token service is away')
  expect(lines).toMatchObject([{ level: 30, count: 10, clientIds: clientIds.slice(0, 10) }])
  expect(await exists(clientIds[10] ?? '')).toBe(true)
})

test('a client stays whose use is stored, but not committed, when its deletion begins', async () => {
  const { clientId, secret } = await registered()
  const connection = await shared.replica().database.pool.connect()
  const { clean } = cleaning()
  try {
    await connection.query('begin')
    await createSecretUseStore({ pool: connection as unknown as Database['pool'] })([secret])
    const cleaned = clean()
    await expect
      .poll(() =>
        query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"),
      )
      .toHaveLength(1)
    await connection.query('commit')
    expect([await cleaned, await exists(clientId)]).toEqual([0, true])
  } finally {
    connection.release(true)
  }
})

test('a client that cannot be deleted fails alone, is named in the log, and is tried again', async () => {
  const [one, bad, other] = [await registered(), await registered(), await registered()]
  const mend = await refuseDeletionsOf([bad.clientId])
  const { clean, lines, events } = cleaning()
  await expect(clean()).rejects.toThrow('the row is broken')
  expect(events.map(({ clientId }) => clientId).toSorted()).toEqual([one.clientId, other.clientId].toSorted())
  expect(lines.filter(({ level }) => level > 30)).toMatchObject([
    { level: 40, clientId: bad.clientId, msg: expect.stringContaining('tried again') },
  ])
  expect(await exists(bad.clientId)).toBe(true)
  await mend()
  expect(await clean()).toBe(1)
})

test('clients that cannot be deleted do not hold up the others: the next round begins after them, and later with them again', async () => {
  const bad: string[] = []
  for (let index = 0; index < 25; index += 1)
    bad.push((await registered({ registeredDaysAgo: days + 100 - index })).clientId)
  const { clientId } = await registered()
  const mend = await refuseDeletionsOf(bad)
  const { clean, lines } = cleaning()
  const tried = () =>
    lines.splice(0).flatMap((line) => (line.level === 40 ? [bad.indexOf(`${line.clientId}`)] : []))
  await expect(clean()).rejects.toThrow('the row is broken')
  expect([tried(), await exists(clientId)]).toEqual([Array.from({ length: 20 }, (_, index) => index), true])
  await expect(clean()).rejects.toThrow('the row is broken')
  expect([tried(), await exists(clientId)]).toEqual([[20, 21, 22, 23, 24], false])
  await mend()
  expect(await clean()).toBe(25)
})

test('more clients than a batch are deleted in one round, by two replicas at once each client once', async () => {
  await query(`
    insert into clients.clients (client_id, client_name, scope, token_endpoint_auth_method, created_at)
    select 'client_' || gen_random_uuid(), 'flood', 'read', 'none', now() - interval '40 days'
    from generate_series(1, 250)`)
  await query('insert into clients.registration_uses (client_id) select client_id from clients.clients')
  const other = createUnusedRegistrationStore(shared.another().database, days)
  const two = [cleaning(), cleaning({ store: other })]
  const [first = 0, second = 0] = await Promise.all(two.map(({ clean }) => clean()))
  expect(first + second).toBe(250)
  expect(await query('select from clients.clients')).toEqual([])
  // One line a batch names those that it deleted.
  const lines = two.flatMap(
    (each) => each.lines as unknown as { level: number; count: number; clientIds: string[] }[],
  )
  expect(new Set(lines.flatMap(({ clientIds }) => clientIds)).size).toBe(250)
  for (const line of lines) expect(line).toMatchObject({ level: 30, count: line.clientIds.length })
  expect(lines.length).toBeLessThanOrEqual(6)
})

test('a process that shuts down deletes no more', async () => {
  const unused = await registered()
  const { clean, asked } = cleaning({ isStopping: () => true })
  expect([await clean(), asked, await exists(unused.clientId)]).toEqual([0, [], true])
})
