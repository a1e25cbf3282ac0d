import { untilNowSql } from '@gatehouse/data/pending-revocations'
import type { Prisma } from '@gatehouse/prisma/database'

/**
 * A part of a `with` clause, named `recorded`, that records for the token service that sessions ended. It gives the ids of the
 * pending revocations.
 * @param ended the name of an earlier part with the ids of the sessions
 * @param wanted the parameter that says whether the token service must be told
 */
export const recordEndsSql = (ended: string, wanted: string) => `
  recorded as (
    insert into identity.pending_revocations (kind, target, issued_before)
    select 'session', id::text, ${untilNowSql} from ${ended} where ${wanted}::boolean
    returning id
  )`

// In the order of the ids, so that two that end sessions at once wait for each other. A statement of its own, so that it sees the sessions of logins for which an earlier statement of the transaction waited.
const endSql = `
  with ended as (
    delete from identity.sessions where id in (
      select id from identity.sessions
      where user_id = $1::uuid and ($2::uuid is null or id = $2::uuid) and ($3::uuid is null or id <> $3::uuid)
      order by id for update
    )
    returning id
  ), ${recordEndsSql('ended', '$4')}
  select (select count(*) from ended)::int as count, array(select id from recorded) as "revocationIds"`

/** Which of a user's sessions end; by default all. */
type EndingSessions = { userId: string; sessionId?: string | undefined; exceptId?: string }

/** How many sessions ended, and the ids of the pending revocations that tell the token service. */
type EndedSessions = { count: number; revocationIds: bigint[] }

/** Ends sessions of a user in a transaction. */
type EndSessions = (
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  which: EndingSessions,
) => Promise<EndedSessions>

/**
 * Creates the function that ends sessions of a user, and records that for the token service in the same statement.
 * @param recorded whether the token service must be told: where OpenID Connect is on
 */
export function createEndSessions(recorded: boolean): EndSessions {
  return async (transaction, { userId, sessionId, exceptId }) => {
    const values = [userId, sessionId ?? null, exceptId ?? null, recorded]
    const [ended] = await transaction.$queryRawUnsafe<EndedSessions[]>(endSql, ...values)
    if (ended === undefined) throw new Error('the statement returned no row')
    return ended
  }
}
