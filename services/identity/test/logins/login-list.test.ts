import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { countLogins, listLogins } from '../../src/logins/login-history.ts'
import { createLoginHistoryStore, createLoginPartitions } from '../../src/store/logins/login-attempts.ts'
import { useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const now = Math.floor(Date.now() / 1000)
const day = 86_400
beforeEach(async () => {
  const days = Array.from({ length: 34 }, (_, index) => now + day - index * day)
  await createLoginPartitions(shared.replica().database).make(days)
  await shared.query('truncate identity.login_attempts')
})

type Row = Partial<{ at: string; userId: string; clientId: string; ipAddress: string; failure: string }>

/** Adds an attempt. @param row at: a timestamp in PostgreSQL's syntax */
async function add({ at = 'now', userId, clientId = '', ipAddress = '192.0.2.1', failure = '' }: Row) {
  const id = randomUUID()
  await shared.query(
    `insert into identity.login_attempts
       (at, login_id, user_id, username, client_id, ip_address, user_agent, method, failure)
     values ($1, $2, $3, 'Ann', $4, $5, 'A browser', 'password', $6)`,
    [at, id, userId ?? null, clientId, ipAddress, failure],
  )
  return id
}

type Request = Partial<Parameters<typeof listLogins>[0]>
const noFilter = { outcome: undefined }
const list = (changes: Request = {}) =>
  listLogins({ ...noFilter, limit: 50, ...changes }, shared.replica().loginHistory)
const idsOf = async (changes: Request) => (await list(changes)).items.map(({ id }) => id)

/** Lists all attempts page by page. */
async function walk(limit: number, changes: Request = {}) {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await list({ ...changes, limit, cursor })
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return ids
}

describe('login attempts for administrators', () => {
  test('have all their fields', async () => {
    const userId = randomUUID()
    const at = new Date(now * 1000)
    const id = await add({ at: at.toISOString(), userId, clientId: 'client_a', failure: 'wrong_password' })
    expect(await list()).toEqual({
      items: [
        {
          ...{ id, at, userId, username: 'Ann', clientId: 'client_a', ipAddress: '192.0.2.1' },
          ...{ userAgent: 'A browser', method: 'password', failure: 'wrong_password' },
        },
      ],
      nextCursor: undefined,
      cursors: [expect.any(String)],
    })
  })

  test('come newest first, page by page, each once, also those of the same microsecond and of other days', async () => {
    const instant = new Date((now - 100) * 1000).toISOString()
    const same = await Promise.all(Array.from({ length: 5 }, () => add({ at: instant })))
    const oneLater = await add({ at: instant.replace('Z', '001Z') })
    const older = await add({ at: new Date((now - 3 * day) * 1000).toISOString() })
    const oldest = await add({ at: new Date((now - 29 * day) * 1000).toISOString() })
    const newest = await add({})
    const all = [newest, oneLater, ...same.sort().reverse(), older, oldest]
    for (const limit of [1, 2, 3, 200]) expect(await walk(limit)).toEqual(all)
    expect(await walk(2, { ipAddress: '192.0.2.1', outcome: 'succeeded' })).toEqual(all)
  })

  test('go on after any of them, with the cursor that is its own', async () => {
    const ids = [await add({}), await add({}), await add({})].reverse()
    const { cursors } = await list({ limit: 2 })
    const after = await Promise.all(cursors.map((cursor) => idsOf({ cursor })))
    expect(after).toEqual([ids.slice(1), ids.slice(2)])
  })

  test('a new attempt between two pages shifts none of the others', async () => {
    const ids = [await add({}), await add({}), await add({})].reverse()
    const first = await list({ limit: 2 })
    await add({})
    const second = await list({ limit: 2, cursor: first.nextCursor })
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
  })

  test('are filtered by user, client, address and outcome, and by all of them together', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()]
    const a = await add({ userId: ann, clientId: 'client_a', ipAddress: '192.0.2.1' })
    const b = await add({ userId: ann, ipAddress: '2001:db8::7', failure: 'wrong_password' })
    const c = await add({ userId: bob, clientId: 'client_a', ipAddress: '2001:db8::7' })
    const d = await add({ ipAddress: '192.0.2.1', failure: 'unknown_user' })
    expect(await idsOf({})).toEqual([d, c, b, a])
    expect(await idsOf({ userId: ann })).toEqual([b, a])
    expect(await idsOf({ clientId: 'client_a' })).toEqual([c, a])
    expect(await idsOf({ ipAddress: '2001:db8::7' })).toEqual([c, b])
    expect(await idsOf({ outcome: 'succeeded' })).toEqual([c, a])
    expect(await idsOf({ outcome: 'failed' })).toEqual([d, b])
    const one = { userId: bob, clientId: 'client_a', ipAddress: '2001:db8::7', outcome: 'succeeded' } as const
    expect(await idsOf(one)).toEqual([c])
    expect(await idsOf({ ...one, outcome: 'failed' })).toEqual([])
    const until = new Date(Date.now() - 3_600_000)
    const e = await add({ userId: ann, at: new Date(until.getTime() - 1).toISOString() })
    expect(await idsOf({ until })).toEqual([e])
    expect(await idsOf({ userId: ann, since: until })).toEqual([b, a])
    expect(await idsOf({ since: until, until })).toEqual([])
    for (const userId of [randomUUID(), 'no uuid', "' or true --", '\0'])
      expect(await idsOf({ userId })).toEqual([])
    expect(await idsOf({ clientId: '%' })).toEqual([])
  })

  const cursorOf = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url')
  const id = '0190f0a0-0000-7000-8000-00000000000a'
  test.each([
    'x',
    'A'.repeat(5_000),
    cursorOf('1'),
    cursorOf('1', id, id),
    cursorOf(1, id),
    cursorOf('-1', id),
    cursorOf('1e3', id),
    cursorOf('1'.repeat(17), id),
    cursorOf('', id),
    cursorOf('1', 'no uuid'),
  ])('refuses an invalid cursor: %j', async (cursor) => {
    await expect(list({ cursor })).rejects.toMatchObject({
      code: 'invalid_request',
      description: 'cursor is invalid.',
    })
  })

  test('accepts a cursor of any time', async () => {
    const newest = await add({})
    expect(await idsOf({ cursor: cursorOf('0', id) })).toEqual([])
    expect(await idsOf({ cursor: cursorOf('9'.repeat(16), id) })).toEqual([newest])
  })

  test.each([{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { clientId: 'a\0' }, { ipAddress: '\ud800' }])(
    'refuses an invalid request: %j',
    async (request) => {
      await expect(list(request)).rejects.toMatchObject({ code: 'invalid_request' })
    },
  )
})

test('counts logins by the minute, oldest first, for at most the last 31 days', async () => {
  const minute = Math.floor(now / 60) * 60
  const at = (time: number) => new Date(time * 1000)
  const add2 = (time: number, failure = '') => add({ at: at(time).toISOString(), failure })
  await add2(minute - 60)
  await add2(minute - 1)
  await add2(minute - 1, 'wrong_password')
  await add2(minute - 300, 'unknown_user')
  await add2(minute - 30 * day)
  await add2(minute - 32 * day)
  const count = (since: number, stepSeconds = 60) =>
    countLogins({ since: at(since), stepSeconds }, shared.replica().loginHistory)
  const before = { time: at(minute - 60), succeeded: 2, failed: 1 }
  const earlier = { time: at(minute - 300), succeeded: 0, failed: 1 }
  expect(await count(minute - 60)).toEqual([before])
  expect(await count(minute - 1)).toEqual([before])
  expect(await count(minute)).toEqual([])
  expect(await count(minute - 300)).toEqual([earlier, before])
  expect(await count(0)).toEqual([earlier, before])
  const ofDays = await count(0, day)
  expect(ofDays[0]).toEqual({ time: at(Math.floor(minute / day) * day - 30 * day), succeeded: 1, failed: 0 })
  const recent = ofDays.slice(1)
  expect(recent.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0)).toBe(4)
})

test('reads only a few rows for a page of many attempts', { timeout: 180_000 }, async () => {
  const userId = randomUUID()
  await shared.query(
    `insert into identity.login_attempts
       (at, login_id, user_id, username, client_id, ip_address, user_agent, method, failure)
     select now() - n * interval '20 seconds', gen_random_uuid(),
       case when n % 10 = 0 then $1 else gen_random_uuid() end, 'Ann', 'client_' || n % 5, '192.0.2.' || n % 200,
       'A browser', 'password', case when n % 3 = 0 then 'wrong_password' else '' end
     from generate_series(1, 100000) n`,
    [userId],
  )
  const { nextCursor } = await list({ limit: 50 })
  for (const analyzed of [false, true]) {
    if (analyzed) await shared.query('analyze identity.login_attempts')
    for (const filter of [{}, { userId }, { clientId: 'client_1' }, { ipAddress: '192.0.2.7' }] as Request[])
      for (const cursor of [undefined, nextCursor]) {
        const { plan, read } = await planOf({ ...filter, cursor })
        expect(plan, plan).not.toMatch(/Seq Scan|Sort/)
        expect(read, plan).toBeLessThan(1_000)
      }
  }
})

/** PostgreSQL's plan for the store's statement, and the number of rows it reads. */
async function planOf(request: Request) {
  const { pool } = shared.replica().database
  let plan = ''
  const query = async (text: string, values: unknown[]) => {
    const { rows } = await pool.query(`explain (analyze, timing off) ${text}`, values)
    plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    return { rows: [] }
  }
  const database = { pool: { query } as never }
  const store = createLoginHistoryStore({ database, mailsOn: false, makePartitions: async () => undefined })
  await listLogins({ ...noFilter, limit: 50, ...request }, store)
  const counts = [...plan.matchAll(/Scan.*rows=(\d+)\S* loops|Rows Removed by Filter: (\d+)/g)]
  return { plan, read: counts.reduce((sum, [, rows, removed]) => sum + Number(rows ?? removed), 0) }
}
