import { withPartition } from '@gatehouse/data/daily-partitions'
import { inPlaces, type Placed, sharing } from '@gatehouse/data/shared-statements'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { Database, QueryConfig } from '@gatehouse/prisma/database'
import { ClientChanged } from '../clients/client-change.ts'
import type {
  AccessTokenKey,
  AccessTokenRecord,
  AccessTokenStore,
  LiveAccessToken,
  StoreTime,
} from '../tokens/access-token-store.ts'
import { isAuthorityOutdatedSql } from './authority/authority-changes.ts'
import { authorityColumns } from './authority/authority-columns.ts'
import { mayHaveTokenSql, permittedScopeSql, withChangeSql } from './client-changes.ts'
import { type Column, insertSql, namesOf, parameterAfter } from './columns.ts'
import { type GrantRow, grantColumns, toGrant, userlessGrantColumns } from './grant-columns.ts'
import { provingStatement, replaysAmong } from './proofs/spent-proofs.ts'
import { isResourceRevokedSql } from './resources.ts'
import { isRevokedSql } from './revocations.ts'

/** The needs of the store. */
export type AccessTokenStoreDeps = {
  database: Pick<Database, 'pool'>
  /** Makes the missing partitions of these days. A day is given as seconds since the Unix epoch. */
  makePartitions(days: readonly number[]): Promise<void>
}

const columns: readonly Column<AccessTokenRecord>[] = [
  {
    ...{ name: 'expires_at', type: 'bigint', stored: (sent) => `to_timestamp(${sent})` },
    value: ({ expiresAt }) => expiresAt,
  },
  { name: 'jti', type: 'uuid', value: ({ jti }) => jti },
  { name: 'grant_id', type: 'uuid', value: ({ grantId }) => grantId },
  ...userlessGrantColumns,
]

/** The same for tokens that roles or groups concern. The others cost no more than without these columns. */
const columnsByRole = [...columns, ...authorityColumns]

/** The same for tokens that a client gets for itself in an organization, which may have been disabled since it was asked about. */
const columnsSince: readonly Column<AccessTokenRecord>[] = [
  ...columnsByRole,
  {
    ...{ name: 'granted_at', type: 'timestamptz', stored: (sent) => `coalesce(${sent}, now())` },
    value: ({ grantedAt }) => grantedAt,
  },
]

// Each client is looked up once, however many of the tokens are its own. `= any` finds the changes through their index, and
// as an array they add no measurable cost to a batch; a join of the rows costs a third more.
function insertingWith(name: string, columns: readonly Column<AccessTokenRecord>[]) {
  return provingStatement(name, columns, (all, rows) => {
    const [clientIds, revisions] = [0, 1].map((behind) => parameterAfter(all, behind))
    return `
  ${rows.alone}
  ${insertSql('token.access_tokens', columns, rows.alone ? rows.from('t') : undefined)}
  where t.client_id <> all (array(
    select c.client_id from token.client_changes c
    join unnest(${clientIds}::text[], ${revisions}::bigint[]) as known (client_id, revision) using (client_id)
    where c.client_id = any(${clientIds}::text[]) and (c.revision <> known.revision or c.disabled)
  ))`
  })
}

const inserting = {
  plain: insertingWith('insert_access_tokens', columns),
  byRole: insertingWith('insert_access_tokens_by_role', columnsByRole),
  since: insertingWith('insert_access_tokens_since', columnsSince),
}

const findStoredSql = `
  select jti from token.access_tokens
  where (expires_at, jti) in (select to_timestamp(w.expires_at), w.jti from unnest($1::bigint[], $2::uuid[]) as w (expires_at, jti))`

// The lateral subquery forces a loop over the wanted keys, each pruned to one partition, whatever size the planner expects of
// the table.
const findLiveSql = `
  select wanted.position::int - 1 as position, ${namesOf(grantColumns, 't')},
    ${permittedScopeSql('t')} as permitted_scope, t.carried, t.roles_revision
  from unnest($1::bigint[], $2::uuid[]) with ordinality as wanted (expires_at, jti, position)
  cross join lateral (
    select * from token.access_tokens a
    where a.expires_at = to_timestamp(wanted.expires_at) and a.jti = wanted.jti
    offset 0
  ) t ${withChangeSql('t')}
  where t.revoked_at is null and ${mayHaveTokenSql('t')}
    and not ${isRevokedSql('t', 'granted_at')} and not ${isResourceRevokedSql('t.resources', 't.granted_at')}
    and not ${isAuthorityOutdatedSql('t')}`

type LiveRow = Placed &
  GrantRow & {
    permitted_scope: string
    carried: Record<string, unknown> | null
    roles_revision: string | null
  }

const revokeSql = `
  update token.access_tokens set revoked_at = now()
  where expires_at = to_timestamp($1) and jti = $2 and client_id = $3 and revoked_at is null`

/** The statement that stores access tokens of clients that have not changed. */
export function insertStatement(records: readonly AccessTokenRecord[]): QueryConfig {
  const known = oldestRevisions(records)
  return statementFor(records)(records, [...known.keys()], [...known.values()])
}

/** The cheapest statement that stores all that these tokens have. */
function statementFor(records: readonly AccessTokenRecord[]) {
  if (records.some(({ grantedAt }) => grantedAt !== undefined)) return inserting.since
  return records.some(({ authority }) => authority) ? inserting.byRole : inserting.plain
}

/** The access tokens in PostgreSQL. */
export function createAccessTokenStore({ database, makePartitions }: AccessTokenStoreDeps): AccessTokenStore {
  const { pool } = database

  /** The tokens that were stored because their client had not changed meanwhile. */
  async function storedAmong(records: readonly AccessTokenKey[]): Promise<Set<string>> {
    const values = [records.map((record) => record.expiresAt), records.map((record) => record.jti)]
    const { rows } = await translateDatabaseErrors(pool.query<{ jti: string }>(findStoredSql, values))
    return new Set(rows.map(({ jti }) => jti))
  }

  return {
    now: coalesce<void, StoreTime>({
      ...sharing,
      run: async (calls) => {
        // As text, because a Date has only milliseconds.
        const { rows } = await translateDatabaseErrors(
          pool.query<{ now: string }>('select now()::text as now'),
        )
        return calls.map(() => rows[0]?.now ?? '')
      },
    }),

    insert: coalesce<AccessTokenRecord, void>({
      ...sharing,
      run: async (records) => {
        const { rowCount } = await withPartition(
          () => pool.query(insertStatement(records)),
          () => makePartitions(records.map((record) => record.expiresAt)),
        )
        if (rowCount === records.length) return records.map(() => undefined)
        const stored = await storedAmong(records)
        const missing = records.filter(({ jti }) => !stored.has(jti))
        const replays = await replaysAmong(pool, missing)
        return records.map((record) =>
          stored.has(record.jti) ? undefined : (replays.get(record) ?? new ClientChanged()),
        )
      },
    }),

    findLive: coalesce<AccessTokenKey, LiveAccessToken | undefined>({
      ...sharing,
      run: async (keys) => {
        const { rows } = await translateDatabaseErrors(
          pool.query<LiveRow>({
            name: 'find_live_access_tokens',
            text: findLiveSql,
            values: [keys.map((key) => key.expiresAt), keys.map((key) => key.jti)],
          }),
        )
        return inPlaces(keys, rows, (row) => ({
          grant: toGrant(row),
          permittedScope: row.permitted_scope,
          carried: row.carried ?? undefined,
          byRole: row.roles_revision !== null,
        }))
      },
    }),

    async revoke({ expiresAt, jti, clientId }) {
      const { rowCount } = await translateDatabaseErrors(
        pool.query({ name: 'revoke_access_token', text: revokeSql, values: [expiresAt, jti, clientId] }),
      )
      return rowCount === 1
    },
  }
}

/** For each client, the oldest revision on which one of the tokens is based. */
function oldestRevisions(records: readonly AccessTokenRecord[]): Map<string, bigint> {
  const oldest = new Map<string, bigint>()
  for (const { grant, clientRevision } of records) {
    const { clientId } = grant
    const known = oldest.get(clientId)
    if (known === undefined || clientRevision < known) oldest.set(clientId, clientRevision)
  }
  return oldest
}
