import { randomUUID } from 'node:crypto'
import { createCleaning } from '@gatehouse/data/cleaning'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { beforeEach, expect, test } from 'vitest'
import { deletionsOfExpired } from '../../src/store/expired.ts'
import { useReplicas } from './replica.ts'

const shared = useReplicas()
const { log } = recordedLog()
const cleaningOn = (replica = shared.replica()) =>
  createCleaning({
    isElected: async () => true,
    parts: deletionsOfExpired(replica.database, { mails: 0, auditLog: 0 }),
    cleanedUp: () => undefined,
    deleted: () => undefined,
    log,
  })
const counts = async () => {
  const [row] = await shared.query(`select
    (select count(*) from identity.sessions)::int as sessions,
    (select count(*) from identity.login_failures)::int as failures`)
  return row
}

/** Adds rows that expire in so many seconds to two of the tables. */
async function fill(count: number, seconds: number) {
  const { id } = await shared.addUser()
  await shared.query(
    `insert into identity.sessions (id, secret_digest, user_id, user_agent, ip_address, expires_at)
     select gen_random_uuid(), sha256(convert_to($1 || n, 'UTF8')), $2, '', '', now() + make_interval(secs => $3)
     from generate_series(1, $4::int) n`,
    [randomUUID(), id, seconds, count],
  )
  await shared.query(
    `insert into identity.login_failures (kind, key_digest, failures, window_ends)
     select 'ip', sha256(convert_to($1 || n, 'UTF8')), 1, now() + make_interval(secs => $2)
     from generate_series(1, $3::int) n`,
    [randomUUID(), seconds, count],
  )
}

beforeEach(() => shared.query('truncate identity.sessions, identity.login_failures cascade'))

test('deletes all expired rows, however many, and keeps the rest', async () => {
  await fill(2_300, -1)
  await fill(3, 60)
  const before = await counts()
  await cleaningOn()()
  expect(before).toEqual({ sessions: 2_303, failures: 2_303 })
  expect(await counts()).toEqual({ sessions: 3, failures: 3 })
})

test('lets replicas clean up at the same time', async () => {
  await fill(1_500, -1)
  await Promise.all([cleaningOn()(), cleaningOn(shared.another())()])
  await cleaningOn()()
  expect(await counts()).toMatchObject({ sessions: 0, failures: 0 })
})

test('mails and audit entries are kept for as many days as the variables say, and are counted', async () => {
  await shared.query('truncate identity.audit_log, identity.mails')
  const age = async (days: number) => {
    await shared.query(
      `insert into identity.mails (mail_id, kind, recipient, language, content, state, ended_at)
      values (gen_random_uuid(), 'sign_up', 'ann@example.com', 'en', '{}', 'sent', now() - make_interval(days => $1))`,
      [days],
    )
    // Ids follow the time, as those that the services make.
    await shared.query(
      `insert into identity.audit_log (entry_id, at, actor_kind, actor_id, actor_name, ip_address, action, target)
      values (lpad((1000 - $1)::text, 32, '0')::uuid, now() - make_interval(days => $1), 'user', 'u', 'ann', '', 'user.update', 'x')`,
      [days],
    )
  }
  for (const days of [1, 6, 8, 29, 31]) await age(days)
  const counted: Record<string, number> = {}
  const clean = (mails: number, auditLog: number) =>
    createCleaning({
      isElected: async () => true,
      parts: deletionsOfExpired(shared.replica().database, { mails, auditLog }),
      cleanedUp: () => undefined,
      deleted: (part, count) => (counted[part] = count),
      log,
    })()
  const left = async () => {
    const [row] = await shared.query(`select (select count(*) from identity.mails)::int as mails,
      (select count(*) from identity.audit_log)::int as entries`)
    return row
  }
  await clean(0, 0)
  expect([await left(), counted.mails, counted.audit_log]).toEqual([{ mails: 4, entries: 5 }, 1, undefined])
  await clean(7, 7)
  expect([await left(), counted.mails, counted.audit_log]).toEqual([{ mails: 2, entries: 2 }, 2, 3])
})

test('leaves a locked row to the next round instead of waiting for it', async () => {
  await fill(2, -1)
  const client = await shared.replica().database.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from identity.login_failures limit 1 for update')
    await cleaningOn()()
    expect(await counts()).toMatchObject({ failures: 1 })
  } finally {
    await client.query('rollback')
    client.release()
  }
  await cleaningOn()()
  expect(await counts()).toMatchObject({ failures: 0 })
})

test('does nothing unless elected, and runs the other parts when one fails', async () => {
  const done: string[] = []
  let failing = true
  const parts = {
    one: async () => {
      if (failing) throw new Error('locked')
      return 0
    },
    other: async () => done.push('other'),
  }
  const cleaning = (elected: boolean) =>
    createCleaning({
      isElected: async () => elected,
      parts,
      cleanedUp: () => void done.push('done'),
      deleted: () => undefined,
      log,
    })
  await cleaning(false)()
  expect(done).toEqual([])
  await expect(cleaning(true)()).rejects.toThrow('locked')
  expect(done).toEqual(['other'])
  failing = false
  await cleaning(true)()
  expect(done).toEqual(['other', 'other', 'done'])
})
