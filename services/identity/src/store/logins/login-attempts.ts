import { randomUUIDv7 } from 'node:crypto'
import {
  createDailyPartitions,
  type DailyPartitions,
  makeTodaysPartition,
  withPartition,
} from '@gatehouse/data/daily-partitions'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import { usageHistory, usageSteps } from '@gatehouse/proto/usage'
import type {
  LoginAttempt,
  LoginFilter,
  LoginHistoryStore,
  LoginsOfPeriod,
} from '../../logins/login-history.ts'

/** The needs of the store. */
export type LoginHistoryStoreDeps = {
  database: Pick<Database, 'pool'>
  /** Whether users get a mail about a login with an unknown browser. */
  mailsOn: boolean
  /** Makes the missing partitions of these days. A day is given as seconds since the Unix epoch. */
  makePartitions: DailyPartitions['make']
}

/**
 * The day partitions of the login attempts. 7 days ahead give operators time to notice that no more are made.
 * @param days for how many days attempts are kept; 0 for 30
 */
export function createLoginPartitions(
  database: Pick<Database, 'pool' | 'sessions'>,
  days = 0,
): DailyPartitions {
  return createDailyPartitions(database, {
    schema: 'identity',
    table: 'login_attempts',
    daysAhead: 7,
    dropAfter: (days || 30) * 86_400,
  })
}

// The lock and a concurrent deletion of the user wait for each other, so a deleted user leaves no row behind.
const addSql = `
  with known as materialized (select * from identity.users where id = $2 for key share),
  mailed as (
    insert into identity.mails (mail_id, kind, user_id, recipient, language, content)
    select $8::uuid, 'new_login', id, attributes ->> 'email', coalesce(attributes ->> 'locale', 'en'), jsonb_build_object(
      'username', username, 'timeZone', coalesce(attributes ->> 'zoneinfo', 'UTC'), 'userAgent', $5::text,
      'ipAddress', $4::text, 'at', floor(extract(epoch from now()) * 1000)
    )
    from known
    where attributes -> 'email_verified' = 'true'::jsonb and created_at < now() - interval '1 hour'
      and encode(sha256(convert_to('known:' || lower(username), 'UTF8')), 'hex') <> all($9::text[])
  )
  insert into identity.login_attempts
    (login_id, user_id, username, client_id, ip_address, user_agent, method, failure)
  select $1::uuid, known.id, known.username, $3::text, $4::text, $5::text, $6::text, $7::text
  from (values (1)) as attempt left join known on true`

const microseconds = 'extract(epoch from at) * 1000000'

/** The SQL conditions of a filter. `client_id <> ''` lets PostgreSQL use the partial index. */
const conditions = {
  userId: (parameter: string) => `user_id = ${parameter}::uuid`,
  clientId: (parameter: string) => `client_id = ${parameter} and client_id <> ''`,
  ipAddress: (parameter: string) => `ip_address = ${parameter}`,
}

// The separate condition on `at` lets PostgreSQL skip later partitions.
const afterCondition = (moment: string, id: string) => {
  const time = `timestamptz 'epoch' + ${moment}::bigint * interval '1 microsecond'`
  return `at <= ${time} and (at, login_id) < (${time}, ${id}::uuid)`
}

// $2: how far back, in hours. $3: the length of a period, in seconds.
const countSql = `
  select date_bin(make_interval(secs => $3), at, 'epoch') as time, count(*) filter (where failure = '')::int as succeeded,
    count(*) filter (where failure <> '')::int as failed
  from identity.login_attempts
  where at >= date_bin(make_interval(secs => $3), greatest($1::timestamptz, now() - make_interval(hours => $2)), 'epoch')
  group by 1 order by 1`

type AttemptRow = Omit<LoginAttempt, 'userId' | 'username' | 'clientId' | 'failure'> & {
  userId: string | null
  username: string | null
  /** Empty: none. */
  clientId: string
  failure: string
  microseconds: string
}

/** The login attempts in PostgreSQL. */
export function createLoginHistoryStore({
  database: { pool },
  mailsOn,
  makePartitions,
}: LoginHistoryStoreDeps): LoginHistoryStore {
  return {
    // Prepared, because every login runs it.
    async add({ userId, clientId, ipAddress, userAgent, method, failure, knownUsers }) {
      const attempt = [
        ...[randomUUIDv7(), userId ?? null, clientId ?? '', ipAddress],
        ...[userAgent, method, failure ?? ''],
      ]
      // The comparison with null is never true, so nobody gets a mail.
      const values = [...attempt, randomUUIDv7(), mailsOn ? (knownUsers ?? null) : null]
      const insert = () => pool.query({ name: 'add_login_attempt', text: addSql, values })
      await withPartition(insert, () => makeTodaysPartition({ pool }, makePartitions))
    },

    async list(filter, after, limit) {
      const values: unknown[] = []
      const parameter = (value: unknown) => `$${values.push(value)}`
      const wanted = wantedOf(filter, parameter)
      if (after) wanted.push(afterCondition(parameter(after.microseconds), parameter(after.id)))
      const { rows } = await translateDatabaseErrors(
        pool.query<AttemptRow>(
          `select login_id as id, at, user_id as "userId", username, client_id as "clientId",
            ip_address as "ipAddress", user_agent as "userAgent", method, failure,
            (${microseconds})::bigint::text as microseconds
          from identity.login_attempts where ${['true', ...wanted].join(' and ')}
          order by at desc, login_id desc limit ${parameter(limit)}`,
          values,
        ),
      )
      return rows.map(({ microseconds: time, ...row }) => ({ item: attemptOf(row), key: [time, row.id] }))
    },

    async countSince(since, step) {
      const values = [since, usageHistory[step], usageSteps[step]]
      const { rows } = await translateDatabaseErrors(pool.query<LoginsOfPeriod>(countSql, values))
      return rows
    },
  }
}

function attemptOf({
  userId,
  username,
  clientId,
  failure,
  ...attempt
}: Omit<AttemptRow, 'microseconds'>): LoginAttempt {
  return {
    ...attempt,
    userId: userId ?? undefined,
    username: username ?? undefined,
    clientId: clientId || undefined,
    failure: failure || undefined,
  }
}

/** A filter's conditions. @param parameter adds a value and returns its placeholder */
function wantedOf(
  { userId, clientId, ipAddress, outcome, since, until }: LoginFilter,
  parameter: (value: unknown) => string,
): string[] {
  return [
    ...(userId === undefined ? [] : [conditions.userId(parameter(userId))]),
    ...(clientId === undefined ? [] : [conditions.clientId(parameter(clientId))]),
    ...(ipAddress === undefined ? [] : [conditions.ipAddress(parameter(ipAddress))]),
    ...(since === undefined ? [] : [`at >= ${parameter(since)}::timestamptz`]),
    ...(until === undefined ? [] : [`at < ${parameter(until)}::timestamptz`]),
    ...(outcome === undefined ? [] : [outcome === 'failed' ? `failure <> ''` : `failure = ''`]),
  ]
}
