import { coalesce } from '@gatehouse/kit/coalesce'
import { answered } from '@gatehouse/prisma/answered'
import { type Database, isBadInput, isMissingPartition } from '@gatehouse/prisma/database'
import type {
  AccessTokenKey,
  AccessTokenRecord,
  AccessTokenStore,
  LiveAccessToken,
} from '../access-token-store.ts'
import { isRevokedSql } from './revocations.ts'

/** What the store needs. */
export type AccessTokenStoreDeps = {
  database: Pick<Database, 'pool'>
  /** Makes the partition of a day that has none; a day is seconds since the Unix epoch. */
  makePartitions(days: readonly number[]): Promise<void>
}

const insertSql = `
  insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope)
  select to_timestamp(expires_at), jti, grant_id, client_id, scope
  from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[])
    as t (expires_at, jti, grant_id, client_id, scope)`

// The lateral subquery keeps the plan a loop over the wanted keys, each pruned to one partition, however the planner
// judges the table's size.
const findLiveSql = `
  select wanted.position::int - 1 as position, t.client_id, t.user_id, t.username, t.scope
  from unnest($1::bigint[], $2::uuid[]) with ordinality as wanted (expires_at, jti, position)
  cross join lateral (
    select * from token.access_tokens a
    where a.expires_at = to_timestamp(wanted.expires_at) and a.jti = wanted.jti
    offset 0
  ) t
  where t.revoked_at is null
    and not ${isRevokedSql('t', 'granted_at')}`

type LiveRow = {
  position: number
  client_id: string
  user_id: string | null
  username: string | null
  scope: string
}

const revokeSql = `
  update token.access_tokens set revoked_at = now()
  where expires_at = to_timestamp($1) and jti = $2 and client_id = $3 and revoked_at is null`

/** How many statements of one kind are under way at once, and what they carry. */
const sharing = {
  maxItems: 500,
  maxConcurrent: 2,
  maxQueued: 5_000,
  timeoutMs: 4_000,
  mayIsolate: isBadInput,
}

/** The access tokens in PostgreSQL. */
export function createAccessTokenStore({ database, makePartitions }: AccessTokenStoreDeps): AccessTokenStore {
  const { pool } = database

  const insertAll = (records: readonly AccessTokenRecord[]) =>
    pool.query({
      name: 'insert_access_tokens',
      text: insertSql,
      values: [
        records.map((record) => record.expiresAt),
        records.map((record) => record.jti),
        records.map((record) => record.grantId),
        records.map((record) => record.clientId),
        records.map((record) => record.scope),
      ],
    })

  return {
    insert: coalesce<AccessTokenRecord, void>({
      ...sharing,
      run: async (records) => {
        await answered(
          insertAll(records).catch(async (error) => {
            if (!isMissingPartition(error)) throw error
            await makePartitions(records.map((record) => record.expiresAt))
            return insertAll(records)
          }),
        )
        return records.map(() => undefined)
      },
    }),

    findLive: coalesce<AccessTokenKey, LiveAccessToken | undefined>({
      ...sharing,
      run: async (keys) => {
        const { rows } = await answered(
          pool.query<LiveRow>({
            name: 'find_live_access_tokens',
            text: findLiveSql,
            values: [keys.map((key) => key.expiresAt), keys.map((key) => key.jti)],
          }),
        )
        const results: (LiveAccessToken | undefined)[] = keys.map(() => undefined)
        for (const row of rows) {
          results[row.position] = {
            clientId: row.client_id,
            userId: row.user_id ?? undefined,
            username: row.username ?? undefined,
            scope: row.scope,
          }
        }
        return results
      },
    }),

    async revoke({ expiresAt, jti, clientId }) {
      const { rowCount } = await answered(
        pool.query({ name: 'revoke_access_token', text: revokeSql, values: [expiresAt, jti, clientId] }),
      )
      return rowCount === 1
    },
  }
}
