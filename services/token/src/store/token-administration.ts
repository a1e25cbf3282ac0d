import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type {
  Ending,
  ListedToken,
  TokenAdministrationStore,
  TokenOwner,
} from '../administration/token-administration.ts'
import type { Revocation } from '../tokens/access-token-store.ts'
import { isAuthorityOutdatedSql } from './authority/authority-changes.ts'
import { mayHaveTokenSql, permittedScopeSql, withChangeSql } from './client-changes.ts'
import { isResourceRevokedSql, readResources } from './resources.ts'
import { addRevocationSql, isRevokedSql, revocationValues } from './revocations.ts'

// An owner's tokens are selected as a range of the index that begins with the owner, which is then the only index with this
// order, but for the jti: PostgreSQL sorts the tokens of each second by it. With an equality the planner could also walk
// everybody's tokens in order of time: millions of rows when an owner of many tokens has no active one.
const ofOwner = (column: string) => ({
  condition: `
      and a.${column} is not null and (a.${column}, a.expires_at) > ($4, now())
      and (a.${column}, a.expires_at, a.jti) < ($4, coalesce(to_timestamp($1::float8), 'infinity'), $2::uuid)`,
  order: `a.${column} desc, a.expires_at desc, a.jti desc`,
})
const ofAll = {
  condition: `and (a.expires_at, a.jti) < (coalesce(to_timestamp($1::float8), 'infinity'), $2::uuid)`,
  order: 'a.expires_at desc, a.jti desc',
}
// A token expires within the longest lifetime after its issue, which its jti says (UUIDv7). So no later partition is read.
const ofJti = {
  condition: `${ofAll.condition} and a.jti = $4::text::uuid
      and a.expires_at <= to_timestamp(('x' || lpad(left(replace($4::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0 + $5::float8)`,
  order: ofAll.order,
}
const parts = { all: ofAll, client: ofOwner('client_id'), user: ofOwner('user_id'), jti: ofJti }

// The separate condition on `expires_at` lets PostgreSQL skip expired partitions.
const listSql = ({ condition, order }: typeof ofAll) => `
  with page as materialized (
    select * from token.access_tokens a
    where a.expires_at > now() ${condition}
    order by ${order} limit $3
  )
  select extract(epoch from p.expires_at)::float8 as "expiresAt", p.jti, p.grant_id as "grantId",
    p.client_id as "clientId", p.user_id as "userId", p.username, p.resources, p.organization_id as "organizationId", ${permittedScopeSql('p')} as scope,
    p.revoked_at is not null or ${isRevokedSql('p', 'granted_at')} or not ${mayHaveTokenSql('p')}
      or ${isResourceRevokedSql('p.resources', 'p.granted_at')} or ${isAuthorityOutdatedSql('p')}
      or ${permittedScopeSql('p')} = '' as revoked
  from page p ${withChangeSql('p')} order by p.expires_at desc, p.jti desc`

const firstUuid = '00000000-0000-0000-0000-000000000000'

const endSql = `
  update token.access_tokens set revoked_at = now()
  where expires_at = to_timestamp($1::float8) and jti = $2::uuid and revoked_at is null and expires_at > now()
  returning client_id, user_id`

const existsSql = `
  select 1 from token.access_tokens where expires_at = to_timestamp($1::float8) and jti = $2::uuid`

const findGrantSql = `
  select grant_id, client_id, user_id, t.expires_at <= now() or ${isRevokedSql('t', 'granted_at')} as ended
  from token.refresh_tokens t where token_digest = $1`

type OwnedRow = { client_id: string; user_id: string | null }
type GrantRow = OwnedRow & { grant_id: string; ended: boolean }
type ListedRow = Omit<ListedToken, 'userId' | 'username' | 'resources' | 'organizationId'> & {
  userId: string | null
  username: string | null
  resources: string | null
  organizationId: string | null
}

/**
 * The tokens in PostgreSQL, as administrators list and revoke them.
 * @param longestLifetime as for createRevocationStore, in seconds
 */
export function createTokenAdministrationStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  longestLifetime: number,
  keepEvent: KeepEvent,
): TokenAdministrationStore {
  const audited = auditedTransactions(database, 'token', keepEvent)
  const revoke = (transaction: Prisma.TransactionClient, kind: Revocation['kind'], id: string) =>
    transaction.$executeRawUnsafe(
      addRevocationSql,
      ...revocationValues({ kind, id, issuedBefore: 'now' }, longestLifetime),
    )

  return {
    async list(of, after, limit) {
      const kind = of?.kind ?? 'all'
      const page = [after?.expiresAt ?? null, after?.jti ?? firstUuid, limit]
      const values = [...page, ...(of ? [of.id] : []), ...(kind === 'jti' ? [longestLifetime] : [])]
      const name = `list_access_tokens_of_${kind}`
      const rows = await translateDatabaseErrors(
        readInOrder<ListedRow>(database.pool, { name, text: listSql(parts[kind]), values }),
      )
      return rows.map((row) => ({
        ...row,
        userId: row.userId ?? undefined,
        username: row.username ?? undefined,
        resources: readResources(row.resources) ?? [],
        organizationId: row.organizationId ?? undefined,
      }))
    },

    endAccessToken: ({ expiresAt, jti }, actor) =>
      audited(async (transaction, write) => {
        const key = [expiresAt, jti]
        const [ended] = await transaction.$queryRawUnsafe<OwnedRow[]>(endSql, ...key)
        if (ended === undefined) {
          const found = await transaction.$queryRawUnsafe<unknown[]>(existsSql, ...key)
          return { outcome: found.length > 0 ? 'ended before' : 'unknown' }
        }
        await write({
          actor,
          action: 'token.end',
          target: jti,
          after: { revoked: 'access_token', ...ownerOf(ended) },
        })
        return endedOf('access_token', jti, ended)
      }),

    endGrantOf: (digest, actor) =>
      audited(async (transaction, write) => {
        const [found] = await transaction.$queryRawUnsafe<GrantRow[]>(findGrantSql, digest)
        if (found === undefined) return { outcome: 'unknown' }
        if (found.ended) return { outcome: 'ended before' }
        await revoke(transaction, 'grant', found.grant_id)
        await write({
          actor,
          action: 'token.end',
          target: found.grant_id,
          after: { revoked: 'grant', ...ownerOf(found) },
        })
        return endedOf('grant', found.grant_id, found)
      }),

    endTokensOf: ({ kind, id }: TokenOwner, actor) =>
      audited(async (transaction, write) => {
        await revoke(transaction, kind, id)
        await write({
          actor,
          action: 'tokens.end',
          target: id,
          after: { revoked: `tokens of the ${kind}` },
        })
      }),
  }
}

/**
 * Runs a query with sorting of whole results switched off, so that the planner reads in the order of an index. It expects few
 * rows in a table without statistics, and cannot estimate how many rows fall between two pairs, so it would sort a million to
 * show fifty.
 */
async function readInOrder<Row extends object>(
  pool: Pick<Database['pool'], 'connect'>,
  query: { name: string; text: string; values: unknown[] },
): Promise<Row[]> {
  const client = await pool.connect()
  try {
    await client.query('begin read only; set local enable_sort = off')
    const { rows } = await client.query<Row>(query)
    await client.query('commit')
    client.release()
    return rows
  } catch (error) {
    client.release(error as Error)
    throw error
  }
}

function endedOf(
  kind: 'access_token' | 'grant',
  id: string,
  { client_id: clientId, user_id: userId }: OwnedRow,
): Ending {
  return { outcome: 'ended', clientId, userId: userId ?? undefined, kind, id }
}

function ownerOf({ client_id, user_id }: OwnedRow) {
  return user_id === null ? { client_id } : { client_id, user_id }
}
