import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { ConnectionEnd, ConnectionEndStore } from '../../openid/connection-end.ts'
import { addRevocationSql, revocationValues } from '../revocations.ts'

/** How many grants are looked at in one statement, which takes some tens of milliseconds, and a few when all are revoked already. */
const atOnce = 1_000

const ofConnection = 'select user_id, grant_id from token.session_grants where connection_id = $1'
// The rest of the id is that of a user or of a session. Both are UUIDs, and no two are alike.
const ofUserOrSession = `
  ${ofConnection} and user_id = $6
  union all
  select user_id, grant_id from token.session_grants where session_id = $6::uuid and connection_id = $1 and not offline`

// A grant from after the revocation's time, by a later login, gets a row that does not concern it. A grant that an earlier try has revoked, on
// any replica, is left as it is: so a try that ends early is no loss for the next one, which only reads up to where that came.
const revokeSql = (source: string) => `
  with grants as (
    select s.user_id, s.grant_id from (${source}) s where (s.user_id, s.grant_id) > ($2::text, $3::uuid)
    order by s.user_id, s.grant_id limit ${atOnce}
  ),
  revoked as (
    insert into token.revocations as r (kind, id, issued_before, expires_at)
    select 'grant', grant_id::text, $4::timestamptz, greatest($4::timestamptz, now()) + make_interval(secs => $5::float8)
    from grants
    where not exists (
      select from token.revocations e where e.kind = 'grant' and e.id = grants.grant_id::text
        and e.issued_before >= $4::timestamptz and e.expires_at >= $4::timestamptz + make_interval(secs => $5::float8)
    )
    order by user_id, grant_id
    on conflict (kind, id) do update set
      issued_before = greatest(r.issued_before, excluded.issued_before),
      expires_at = greatest(r.expires_at, excluded.expires_at)
  )
  select user_id as "userId", grant_id as "grantId" from grants order by user_id, grant_id`

type Place = { userId: string; grantId: string }

/** Before every grant. */
const start: Place = { userId: '', grantId: '00000000-0000-0000-0000-000000000000' }

/**
 * The ends of logins by connections in PostgreSQL. First their revocation is stored, which keeps codes and refresh tokens from being used, also
 * those that are stored at the same moment; then the grants are revoked in batches.
 * @param keptFor how long the revocations are kept, in seconds: as long as anything that was granted can live
 */
export function createConnectionEndStore(
  { pool }: Pick<Database, 'pool'>,
  keptFor: number,
): ConnectionEndStore {
  async function revokeNext(
    { id, issuedBefore }: ConnectionEnd,
    after: Place,
  ): Promise<{ last: Place | undefined; count: number }> {
    const [connectionId, rest] = id.split(':')
    const [, , until] = revocationValues({ kind: 'connection', id, issuedBefore }, keptFor)
    const shared = [connectionId, after.userId, after.grantId, until, keptFor]
    const query =
      rest === undefined
        ? { text: revokeSql(ofConnection), values: shared }
        : { text: revokeSql(ofUserOrSession), values: [...shared, rest] }
    const { rows } = await pool.query<Place>(query)
    return { last: rows.at(-1), count: rows.length }
  }

  async function add(end: ConnectionEnd): Promise<void> {
    await pool.query(addRevocationSql, revocationValues({ ...end, kind: 'connection' }, keptFor))
    for (let after: Place | undefined = start; after !== undefined; ) {
      const { last, count } = await revokeNext(end, after)
      after = count < atOnce ? undefined : last
    }
  }

  return { add: (end) => translateDatabaseErrors(add(end)) }
}
