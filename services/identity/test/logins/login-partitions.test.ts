import { beforeEach, expect, test } from 'vitest'
import { createLoginPartitions } from '../../src/store/logins/login-attempts.ts'
import { useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const noon = Date.parse('2030-01-01T12:00:00Z') / 1000

const names = async () => {
  const rows = await shared.query(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'identity.login_attempts'::regclass order by 1`,
  )
  return rows.map(({ name }) => String(name).replace('identity.login_attempts_', ''))
}
const nothing = { userId: undefined, clientId: undefined, failure: undefined }
const attempt = { ...nothing, ipAddress: '', userAgent: '', method: '' }

beforeEach(async () => {
  for (const name of await names()) await shared.query(`drop table identity.login_attempts_${name}`)
})

test('makes the partitions of today and the next 7 days, once', async () => {
  const partitions = createLoginPartitions(shared.replica().database)
  const made = Array.from({ length: 8 }, (_, index) => `2030010${index + 1}`)
  expect(await partitions.maintain(noon)).toEqual({
    made: made.map((name) => `login_attempts_${name}`),
    dropped: [],
  })
  expect(await names()).toEqual(made)
  expect(await partitions.maintain(noon)).toEqual({ made: [], dropped: [] })
})

test('drops a partition when the last of its attempts is 30 days old, and no sooner', async () => {
  const partitions = createLoginPartitions(shared.replica().database)
  await partitions.make([noon])
  await shared.query(
    `insert into identity.login_attempts (at, login_id, client_id, ip_address, user_agent, method, failure)
     values (to_timestamp($1), gen_random_uuid(), '', '', '', '', '')`,
    [noon],
  )
  const over = Date.parse('2030-02-01T00:00:00Z') / 1000
  expect((await partitions.maintain(over)).dropped).toEqual([])
  expect((await partitions.maintain(over + 1)).dropped).toEqual(['login_attempts_20300101'])
  expect(await names()).not.toContain('20300101')
  expect(await shared.query('select from identity.login_attempts')).toEqual([])
})

test('with OAUTH2_LOGIN_HISTORY_DAYS attempts are kept for so many days', async () => {
  const partitions = createLoginPartitions(shared.replica().database, 7)
  await partitions.make([noon])
  const over = Date.parse('2030-01-09T00:00:00Z') / 1000
  expect((await partitions.maintain(over)).dropped).toEqual([])
  expect((await partitions.maintain(over + 1)).dropped).toEqual(['login_attempts_20300101'])
})

test('leaves the token service’s tables alone', async () => {
  await shared.query('create table token.login_attempts_20200101 (a int)')
  await shared.query('create table identity.login_attempts_kept (a int)')
  expect((await createLoginPartitions(shared.replica().database).maintain(noon)).dropped).toEqual([])
  await shared.query('drop table token.login_attempts_20200101, identity.login_attempts_kept')
})

test('makes a missing partition when an attempt needs it, even when many need it at once', async () => {
  const replicas = [shared.replica(), shared.another()]
  const adds = Array.from({ length: 12 }, (_, index) => replicas[index % 2]?.loginHistory.add(attempt))
  await Promise.all(adds)
  const [row] = await shared.query(
    `select count(*)::int as count, to_char(now() at time zone 'UTC', 'YYYYMMDD') as today from identity.login_attempts`,
  )
  expect(row).toEqual({ count: 12, today: expect.any(String) })
  expect(await names()).toEqual([row?.today])
})

test('fails to store an attempt that the partition refuses', async () => {
  const { loginHistory } = shared.replica()
  await shared.query('alter table identity.login_attempts add constraint closed check (false)')
  await expect(loginHistory.add(attempt)).rejects.toMatchObject({ code: '23514' })
  await shared.query('alter table identity.login_attempts drop constraint closed')
  await loginHistory.add(attempt)
})
