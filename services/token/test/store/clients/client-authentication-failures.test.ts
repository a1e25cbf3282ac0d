import { beforeEach, describe, expect, test } from 'vitest'
import { type CountedFailures, listFailures } from '../../../src/clients/client-authentication-failure.ts'
import {
  createClientAuthenticationFailureStore,
  createFailurePartitions,
} from '../../../src/store/client-authentication-failures.ts'
import { forgetClientsIn } from '../../../src/store/forgotten-clients.ts'
import { useDatabase } from '../database.ts'

const shared = useDatabase()
const day = 86_400
const now = Math.floor(Date.now() / 1000)

beforeEach(async () => {
  await shared.query('truncate token.client_authentication_failures')
})

const storeOn = (database = shared.database) =>
  createClientAuthenticationFailureStore(database, createFailurePartitions(database).make)
const counted = (changes: Partial<CountedFailures> = {}): CountedFailures => ({
  ...{ clientId: 'client_a', reason: 'wrong_secret', endpoint: 'token', ipAddress: '192.0.2.1' },
  ...{ count: 1, age: 0 },
  ...changes,
})

const list = (changes: Partial<Parameters<typeof listFailures>[0]> = {}) =>
  listFailures({ limit: 50, ...changes }, storeOn())
const brief = async (changes: Parameters<typeof list>[0] = {}) =>
  (await list(changes)).items.map(({ clientId, reason, ipAddress, count }) => [
    ...[clientId, reason, ipAddress],
    Number(count),
  ])

/** Adds a row of an earlier minute. */
async function insert(at: number, { clientId, reason, endpoint, ipAddress, count } = counted()) {
  await createFailurePartitions(shared.database).make([at])
  await shared.query(
    `insert into token.client_authentication_failures (minute, client_id, reason, endpoint, ip_address, count)
     values (date_trunc('minute', to_timestamp($1)), $2, $3, $4, $5, $6)`,
    [at, clientId, reason, endpoint, ipAddress, count],
  )
}

test('replicas that write at once in different orders add up, and none waits for the other forever', async () => {
  const stores = [storeOn(), storeOn(shared.another())]
  const failures = ['client_c', 'client_a', 'client_b'].map((clientId) => counted({ clientId }))
  await Promise.all(
    Array.from({ length: 40 }, (_, at) => stores[at % 2]?.add(at % 4 < 2 ? failures : failures.toReversed())),
  )
  const sums = new Map<string, number>()
  for (const [clientId, , , count] of await brief())
    sums.set(String(clientId), (sums.get(String(clientId)) ?? 0) + Number(count))
  expect(Object.fromEntries(sums)).toEqual({ client_a: 40, client_b: 40, client_c: 40 })
})

test('a failure before its partition exists makes the partition', async () => {
  const rows = await shared.query(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'token.client_authentication_failures'::regclass`,
  )
  for (const { name } of rows) await shared.query(`drop table ${name}`)
  await storeOn().add([counted()])
  expect(await brief()).toEqual([['client_a', 'wrong_secret', '192.0.2.1', 1]])
})

test('a failure from before its client was forgotten is not stored for the next one with the id', async () => {
  await forgetClientsIn(shared.database)(['client_again'])
  await storeOn().add([
    counted({ clientId: 'client_again', age: 10 }),
    counted({ clientId: 'client_b', age: 10 }),
  ])
  expect(await brief()).toEqual([['client_b', 'wrong_secret', '192.0.2.1', 1]])
  await storeOn().add([counted({ clientId: 'client_again' })])
  expect(await brief({ clientId: 'client_again' })).toHaveLength(1)
})

test('a day is dropped 30 days after its end', async () => {
  await insert(now - 32 * day)
  await insert(now - 29 * day)
  const { dropped } = await createFailurePartitions(shared.database).maintain(now)
  expect(dropped).toHaveLength(1)
  expect(await brief()).toHaveLength(1)
  const sooner = await createFailurePartitions(shared.database, 7).maintain(now)
  expect(sooner.dropped).toHaveLength(1)
  expect(await brief()).toEqual([])
})

describe('the list', () => {
  test('has the newest first, page by page, each once, also those of the same minute and of other days', async () => {
    await insert(now - 3 * day)
    for (const clientId of ['client_a', 'client_b', 'client_c'])
      await insert(now - 120, counted({ clientId }))
    await insert(now, counted({ clientId: 'client_new' }))
    const all = (await list()).items
    expect(all.map(({ clientId }) => clientId)).toEqual([
      ...['client_new', 'client_c', 'client_b', 'client_a', 'client_a'],
    ])
    expect(all[1]).toEqual({
      ...{
        clientId: 'client_c',
        reason: 'wrong_secret',
        endpoint: 'token',
        ipAddress: '192.0.2.1',
        count: 1n,
      },
      time: new Date(Math.floor((now - 120) / 60) * 60_000),
    })
    for (const limit of [1, 2, 4]) {
      const found = []
      let cursor: string | undefined
      do {
        const page = await list({ limit, cursor })
        found.push(...page.items)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      expect(found).toEqual(all)
    }
    const { cursors } = await list({ limit: 2 })
    const after = cursors.map(async (cursor) => (await list({ cursor })).items)
    expect(await Promise.all(after)).toEqual([all.slice(1), all.slice(2)])
  })

  test('is limited to a client, an address, a reason and a time', async () => {
    await insert(now - 3600, counted({ clientId: 'client_b' }))
    await insert(now - 3600, counted({ reason: 'disabled', ipAddress: '2001:db8::1' }))
    await insert(now - 86_400)
    expect(await brief({ clientId: 'client_b' })).toEqual([['client_b', 'wrong_secret', '192.0.2.1', 1]])
    expect(await brief({ reason: 'disabled' })).toEqual([['client_a', 'disabled', '2001:db8::1', 1]])
    expect(await brief({ ipAddress: '2001:db8::1' })).toHaveLength(1)
    expect(await brief({ since: new Date((now - 7200) * 1000) })).toHaveLength(2)
    expect(await brief({ until: new Date((now - 7200) * 1000) })).toHaveLength(1)
    expect(await brief({ clientId: 'client_b', reason: 'disabled' })).toEqual([])
  })

  test.each([
    [{ limit: 0 }],
    [{ limit: 201 }],
    [{ cursor: 'x' }],
    [{ cursor: Buffer.from('["x","","","",""]').toString('base64url') }],
    [{ reason: 'lost' }],
    [{ clientId: '\0' }],
    [{ ipAddress: '\0' }],
  ])('refuses %j', async (changes) => {
    await expect(list(changes)).rejects.toMatchObject({ code: 'invalid_request' })
  })
})
