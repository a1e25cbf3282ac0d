import {
  createDailyPartitions,
  type DailyPartitions,
  makeTodaysPartition,
  withPartition,
} from '@gatehouse/data/daily-partitions'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type {
  ClientAuthenticationFailure,
  ClientAuthenticationFailureStore,
  FailureFilter,
  FailurePosition,
} from '../clients/client-authentication-failure.ts'
import { isForgottenSql } from './forgotten-clients.ts'

/**
 * The day partitions of the failures. 7 days ahead give operators time to notice that no more are made.
 * @param days for how many days failures are kept; 0 for 30
 */
export function createFailurePartitions(
  database: Pick<Database, 'pool' | 'sessions'>,
  days = 0,
): DailyPartitions {
  return createDailyPartitions(database, {
    schema: 'token',
    table: 'client_authentication_failures',
    daysAhead: 7,
    dropAfter: (days || 30) * 86_400,
  })
}

// Rows are written in the order of their keys, so that no two replicas deadlock.
const addSql = `
  insert into token.client_authentication_failures as f (minute, client_id, reason, endpoint, ip_address, count)
  select date_trunc('minute', now()), client_id, reason, endpoint, ip_address, count
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::float8[])
    as counts (client_id, reason, endpoint, ip_address, count, age)
  where not ${isForgottenSql('counts.client_id', 'counts.age')}
  order by client_id, reason, endpoint, ip_address
  on conflict (minute, client_id, reason, endpoint, ip_address) do update set count = f.count + excluded.count`

/** The address is empty for several together. */
type FailureRow = Omit<ClientAuthenticationFailure, 'count' | 'ipAddress'> & {
  count: string
  ipAddress: string
}

/** Failed client authentications in PostgreSQL. */
export function createClientAuthenticationFailureStore(
  { pool }: Pick<Database, 'pool'>,
  makePartitions: DailyPartitions['make'],
): ClientAuthenticationFailureStore {
  return {
    async add(failures) {
      const values = [
        failures.map(({ clientId }) => clientId),
        failures.map(({ reason }) => reason),
        failures.map(({ endpoint }) => endpoint),
        failures.map(({ ipAddress }) => ipAddress ?? ''),
        failures.map(({ count }) => count),
        failures.map(({ age }) => age),
      ]
      await withPartition(
        () => pool.query(addSql, values),
        () => makeTodaysPartition({ pool }, makePartitions),
      )
    },

    async list(filter, after, limit) {
      const values: unknown[] = []
      const parameter = (value: unknown) => `$${values.push(value)}`
      const wanted = [...wantedOf(filter, parameter), ...(after ? afterCondition(after, parameter) : [])]
      const { rows } = await translateDatabaseErrors(
        pool.query<FailureRow>(
          `select minute as time, client_id as "clientId", reason, endpoint, ip_address as "ipAddress", count
          from token.client_authentication_failures where ${['true', ...wanted].join(' and ')}
          order by minute desc, client_id desc, reason desc, endpoint desc, ip_address desc
          limit ${parameter(limit)}`,
          values,
        ),
      )
      return rows.map(({ count, ...row }) => ({
        item: { ...row, ipAddress: row.ipAddress || undefined, count: BigInt(count) },
        key: [String(row.time.getTime()), row.clientId, row.reason, row.endpoint, row.ipAddress],
      }))
    },
  }
}

/** A filter's conditions. @param parameter adds a value and returns its placeholder */
function wantedOf(
  { clientId, ipAddress, reason, since, until }: FailureFilter,
  parameter: (value: unknown) => string,
): string[] {
  return [
    ...(clientId === undefined ? [] : [`client_id = ${parameter(clientId)}`]),
    ...(ipAddress === undefined ? [] : [`ip_address = ${parameter(ipAddress)}`]),
    ...(reason === undefined ? [] : [`reason = ${parameter(reason)}`]),
    // The minute in which `since` lies is a part of the list.
    ...(since === undefined ? [] : [`minute >= date_trunc('minute', ${parameter(since)}::timestamptz)`]),
    ...(until === undefined ? [] : [`minute < ${parameter(until)}::timestamptz`]),
  ]
}

/** The separate condition on `minute` lets PostgreSQL skip later partitions. */
function afterCondition(
  [minute, ...others]: FailurePosition,
  parameter: (value: unknown) => string,
): string[] {
  const time = `timestamptz 'epoch' + ${parameter(minute)}::bigint * interval '1 millisecond'`
  const rest = others.map((value) => parameter(value)).join(', ')
  return [`minute <= ${time}`, `(minute, client_id, reason, endpoint, ip_address) < (${time}, ${rest})`]
}
