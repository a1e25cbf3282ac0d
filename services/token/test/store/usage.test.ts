import { beforeAll, expect, test } from 'vitest'
import { deleteExpired } from '../../src/store/expired.ts'
import { forgetClientsIn } from '../../src/store/forgotten-clients.ts'
import { createUsageStore } from '../../src/store/usage.ts'
import { countUsage } from '../../src/tokens/usage.ts'
import { useDatabase } from './database.ts'
import { startReplica } from './replica.ts'

const shared = useDatabase()
let replicas: ReturnType<typeof startReplica>[] = []
const replica = (index = 0) => replicas[index % 2] ?? expect.unreachable('no replica')
beforeAll(() => {
  replicas = [startReplica(shared.database), startReplica(shared.another())]
})

const hourAgo = () => new Date(Date.now() - 3_600_000)
/** The sum of all counts of the last hour. */
async function total() {
  const sum: Record<string, Record<string, number>> = { issued: {}, refused: {} }
  for (const { issued, refused } of await replica().usageStore.countSince(hourAgo(), 'minute')) {
    for (const [kind, counts] of Object.entries({ issued, refused }))
      for (const [name, count] of Object.entries(counts))
        sum[kind] = { ...sum[kind], [name]: (sum[kind]?.[name] ?? 0) + Number(count) }
  }
  return sum
}
const daysOf = async (clientId: string, days = 1) => {
  const usage = await replica().usageStore.ofClient(clientId, days)
  return { ...usage, days: usage.days.map(({ issued, refused }) => [Number(issued), Number(refused)]) }
}

test('adds up the counts of all replicas, by minute and by client', async () => {
  const password = () => replica().logIn()
  await Promise.all([password(), password(), replica(1).logIn()])
  await expect(replica(1).logIn('more than it has')).rejects.toMatchObject({ code: 'invalid_scope' })
  await expect(replica().refresh('a'.repeat(43))).rejects.toMatchObject({ code: 'invalid_grant' })
  await expect(replica().redeem('x', { clientId: 'client_x' })).rejects.toMatchObject({
    code: 'invalid_client',
  })
  await Promise.all(replicas.map(({ writeUsage }) => writeUsage()))
  expect(await total()).toEqual({
    issued: { password: 3 },
    refused: { invalid_scope: 1, invalid_grant: 1, invalid_client: 1 },
  })
  expect(await daysOf('client_a')).toEqual({ days: [[3, 2]], lastUsedAt: expect.any(Date) })
  // A client that did not authenticate is not counted.
  expect(await daysOf('client_x')).toEqual({ days: [], lastUsedAt: undefined })

  await replica().logIn()
  await replica().writeUsage()
  await replica().writeUsage()
  expect((await daysOf('client_a')).days).toEqual([[4, 2]])
})

test('loses no counts when many replicas write at once', async () => {
  const store = createUsageStore(shared.database)
  const outcomes = ['b', 'a', 'c'].map((grantType) => ({ grantType, outcome: 'issued', count: 1 }))
  const clients = ['client_3', 'client_1', 'client_2'].map((clientId) => ({
    clientId,
    issued: 1,
    refused: 0,
    age: 0,
  }))
  await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      store.add(
        at % 2 === 0
          ? { outcomes, clients }
          : { outcomes: outcomes.toReversed(), clients: clients.toReversed() },
      ),
    ),
  )
  for (const { clientId } of clients) expect((await daysOf(clientId)).days).toEqual([[40, 0]])
  expect((await total()).issued).toMatchObject({ a: 40, b: 40, c: 40 })
})

test('writes counts the next time when they could not be written', async () => {
  const written: unknown[] = []
  let away = true
  let now = 0
  const { usage, write } = countUsage(
    {
      async add(counts) {
        if (away) throw new Error('away')
        written.push(counts)
      },
    },
    () => now,
  )
  await write()
  usage.issued('password', 'client_a')
  usage.refused('password', 'invalid_grant', undefined)
  now = 10_000
  await expect(write()).rejects.toThrow('away')
  usage.issued('password', 'client_a')
  usage.refused('password', 'invalid_grant', 'client_a')
  away = false
  await write()
  await write()
  expect(written).toEqual([
    {
      outcomes: [
        { grantType: 'password', outcome: 'issued', count: 2 },
        { grantType: 'password', outcome: 'invalid_grant', count: 2 },
      ],
      clients: [{ clientId: 'client_a', issued: 2, refused: 1, age: 10 }],
    },
  ])
})

test('counts of a client that was forgotten meanwhile are not those of the next one with its id, on any replica', async () => {
  const counters = [shared.database, shared.another()].map((database) =>
    countUsage(createUsageStore(database)),
  )
  const issue = () => {
    for (const { usage } of counters) usage.issued('client_credentials', 'client_again')
  }
  const write = () => Promise.all(counters.map((counter) => counter.write()))
  issue()
  await write()
  issue()
  await forgetClientsIn(shared.database)(['client_again'])
  await write()
  expect(await daysOf('client_again')).toEqual({ days: [], lastUsedAt: undefined })
  issue()
  await write()
  expect((await daysOf('client_again')).days).toEqual([[2, 0]])
})

test('returns the requested days, and the last use in all kept days', async () => {
  await shared.query(
    `insert into token.client_usage (client_id, day, issued, refused, last_used_at)
     select 'client_old', (now() at time zone 'UTC')::date - days, days, 0,
       case when days >= 5 then date_trunc('day', now()) - make_interval(days => days) end
     from unnest(array[0, 1, 5, 89]) as days`,
  )
  expect((await daysOf('client_old', 2)).days).toEqual([
    [0, 0],
    [1, 0],
  ])
  const all = await daysOf('client_old', 90)
  expect(all.days).toEqual([
    [0, 0],
    [1, 0],
    [5, 0],
    [89, 0],
  ])
  const fiveDays = Date.now() - (all.lastUsedAt?.getTime() ?? 0)
  expect(Math.floor(fiveDays / 86_400_000)).toBe(5)
})

test('adds up hours and days for 31 days', async () => {
  const { usageStore } = replica()
  await shared.query(
    `insert into token.usage_minutes (minute, grant_type, outcome, count)
     select date_bin('1 day', now(), 'epoch') - interval '3 days' + interval '1 hour' * hours, 'of_hours', 'issued', 1
     from unnest(array[0, 0.5, 1.2, 23.9]) as hours`,
  )
  const issued = async (step: 'hour' | 'day') =>
    (await usageStore.countSince(new Date(0), step)).flatMap(({ issued }) => issued.of_hours ?? [])
  expect(await issued('hour')).toEqual([2n, 1n, 1n])
  expect(await issued('day')).toEqual([4n])
  await shared.query(
    `insert into token.active_token_counts select date_bin('1 day', now(), 'epoch') - interval '2 days' + interval '1 minute' * n, n
     from generate_series(1, 90) as n`,
  )
  const active = async (step: 'hour' | 'day') =>
    (await usageStore.countSince(new Date(Date.now() - 3 * 86_400_000), step)).flatMap(
      ({ time, activeTokens }) => (time.getTime() < Date.now() - 86_400_000 ? (activeTokens ?? []) : []),
    )
  expect(await active('hour')).toEqual([59n, 90n])
  expect(await active('day')).toEqual([90n])
})

test('lists the clients that got the most tokens in some days', async () => {
  await shared.query(
    `insert into token.client_usage (client_id, day, issued, refused, last_used_at)
     select client_id, (now() at time zone 'UTC')::date - days, issued, refused, case when issued > 0 then now() end
     from (values ('top_a', 0, 1000, 1), ('top_a', 1, 5000, 0), ('top_b', 0, 2000, 0), ('top_c', 0, 0, 900), ('top_d', 8, 9000, 0))
       as used (client_id, days, issued, refused)`,
  )
  const top = async (days: number, limit = 100) =>
    (await replica().usageStore.topClients(days, limit))
      .filter(({ clientId }) => clientId.startsWith('top_'))
      .map(({ clientId, issued, refused }) => [clientId, Number(issued), Number(refused)])
  expect(await top(1)).toEqual([
    ['top_b', 2000, 0],
    ['top_a', 1000, 1],
    ['top_c', 0, 900],
  ])
  expect(await top(2, 1)).toEqual([['top_a', 6000, 1]])
  expect((await top(9))[0]).toEqual(['top_d', 9000, 0])
})

test('keeps the last number of active tokens of a minute', async () => {
  await replica().usageStore.setActiveTokens(5)
  await replica().usageStore.setActiveTokens(7)
  const minutes = await replica().usageStore.countSince(hourAgo(), 'minute')
  expect(minutes.at(-1)?.activeTokens).toBe(7n)
})

test('shows at most a day of minutes, and deletes counts after their retention', async () => {
  await shared.query(
    `insert into token.usage_minutes values (now() - interval '25 hours', 'old', 'issued', 1),
       (now() - interval '32 days', 'older', 'issued', 1)`,
  )
  const minutes = await replica().usageStore.countSince(new Date(0), 'minute')
  expect(minutes.flatMap(({ issued }) => Object.keys(issued))).not.toContain('old')
  await shared.query(`insert into token.active_token_counts values (now() - interval '32 days', 1)`)
  await shared.query(
    `insert into token.client_usage values ('gone', (now() - interval '92 days')::date, 1, 0, now())`,
  )
  for (const table of ['usage_minutes', 'active_token_counts', 'client_usage'] as const)
    expect(await deleteExpired(shared.database, table)).toBe(1)
})
