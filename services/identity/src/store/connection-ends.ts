import { untilNowSql } from '@gatehouse/data/pending-revocations'
import type { Prisma } from '@gatehouse/prisma/database'
import type { EndingConnectionLogins } from '../logins/connection-login.ts'
import { hasOrganizationLoginSql } from './logins/session-logins.ts'
import { recordEndsSql } from './session-ends.ts'

type Transaction = Pick<Prisma.TransactionClient, '$queryRawUnsafe' | '$executeRawUnsafe'>

/**
 * Ends logins by a connection in a transaction. Call it after what keeps others from beginning: connection, organization, membership or
 * link are changed or deleted before, or locked. Nothing but revocations and events may follow.
 * @param tell is told the users whose logins ended, if there were any, in the transaction
 * @returns the ids of the pending revocations
 */
export type EndConnectionLogins = (
  transaction: Transaction,
  which: EndingConnectionLogins,
  tell?: (userIds: readonly string[]) => Promise<void>,
) => Promise<bigint[]>

/** Ends the logins in an organization by its connections: all, or those of some users. @returns as EndConnectionLogins */
export type EndOrganizationLogins = (
  transaction: Transaction,
  which: { organizationId: string; userIds?: readonly string[] | undefined },
) => Promise<bigint[]>

/** The logins that end, as the parameters $1 to $5 of `endingSql`: an absent one is null. */
type Ending = {
  connectionIds: readonly string[]
  userIds?: readonly string[] | undefined
  upstreamSession?: string | undefined
  issuer?: string | undefined
  subject?: string | undefined
}

const endingSql = `l.connection_id = any($1::text[]) and ($2::uuid[] is null or s.user_id = any($2))
  and ${upstreamSql('l.upstream_session', 'l.issuer', 'l.subject')}`

/** A login without a `sid` ends with any session of its person: it may be of that one. */
function upstreamSql(session: string, issuer: string, subject: string): string {
  return `case when $3::text is null then $4::text is null or (${issuer} = $4 and ${subject} = $5)
    else ${session} = $3 or (${session} is null and ${issuer} = $4 and ${subject} = $5) end`
}

// Sessions before their logins, and by their ids, as whoever else ends sessions or logs in again does.
const lockSql = `
  select s.id from identity.sessions s
  where s.id in (
    select l.session_id from identity.session_logins l join identity.sessions s on s.id = l.session_id where ${endingSql}
  )
  order by s.id for update`

const deleteSql = `
  delete from identity.session_logins l using identity.sessions s
  where s.id = l.session_id and s.id = any($6::uuid[]) and ${endingSql}
  returning s.id, s.user_id as "userId"`

// A statement of its own, because it looks for the logins that are left.
const endSql = `
  with ended as (
    delete from identity.sessions s where s.id = any($1::uuid[])
      and case when s.organizations_only then not ${hasOrganizationLoginSql('s.id')} else s.connection_id = any($2::text[]) end
    returning s.id
  ), ${recordEndsSql('ended', '$3')}
  select id from recorded`

const forgetPendingSql = `
  delete from identity.pending_logins p
  where p.connection_login ->> 'connection_id' = any($1::text[]) and ($2::uuid[] is null or p.user_id = any($2))
    and ${upstreamSql("p.connection_login ->> 'upstream_session'", "p.connection_login ->> 'issuer'", "p.connection_login ->> 'subject'")}`

const revokeSql = `
  insert into identity.pending_revocations (kind, target, issued_before)
  select 'connection', target, ${untilNowSql} from unnest($1::text[]) target returning id`

type IdRow = { id: bigint }

/**
 * Creates the function that ends logins by a connection, with what was granted after them: sessions without another login, sessions whose
 * last login by a way of the instance was one of them, and logins that wait for a second factor.
 * @param recorded whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createEndConnectionLogins(recorded: boolean): EndConnectionLogins {
  return async (transaction, { connectionId, userId, upstream }, tell) => {
    const userIds = userId === undefined ? undefined : [userId]
    const { sessionIds, revocationIds, loggedOut } = await endLogins(
      transaction,
      { connectionIds: [connectionId], userIds, ...upstream },
      recorded,
    )
    if (loggedOut.length > 0) await tell?.(loggedOut)
    const targets =
      userId === undefined && upstream !== undefined
        ? sessionIds.map((id) => `${connectionId}:${id}`)
        : [userId === undefined ? connectionId : `${connectionId}:${userId}`]
    if (targets.length === 0) return revocationIds
    const rows = await transaction.$queryRawUnsafe<IdRow[]>(revokeSql, targets)
    return [...revocationIds, ...rows.map(({ id }) => id)]
  }
}

/**
 * Creates the function that ends the logins in an organization. What was granted in it ends by the revocation of the organization or of
 * the memberships.
 * @param recorded as createEndConnectionLogins
 */
export function createEndOrganizationLogins(recorded: boolean): EndOrganizationLogins {
  return async (transaction, { organizationId, userIds }) => {
    if (userIds?.length === 0) return []
    const rows = await transaction.$queryRawUnsafe<{ connectionId: string }[]>(
      'select connection_id as "connectionId" from identity.connections where organization_id = $1',
      organizationId,
    )
    if (rows.length === 0) return []
    const connectionIds = rows.map(({ connectionId }) => connectionId)
    return (await endLogins(transaction, { connectionIds, userIds }, recorded)).revocationIds
  }
}

/** @returns the sessions that had such a login and their users, and the pending revocations of those that ended */
async function endLogins(
  transaction: Transaction,
  { connectionIds, userIds, upstreamSession, issuer, subject }: Ending,
  recorded: boolean,
): Promise<{ sessionIds: string[]; loggedOut: string[]; revocationIds: bigint[] }> {
  const people = [upstreamSession ?? null, issuer ?? null, subject ?? null]
  const which = [connectionIds, userIds ?? null, ...people]
  await transaction.$executeRawUnsafe(forgetPendingSql, ...which)
  const locked = await transaction.$queryRawUnsafe<{ id: string }[]>(lockSql, ...which)
  if (locked.length === 0) return { sessionIds: [], loggedOut: [], revocationIds: [] }
  const lockedIds = locked.map(({ id }) => id)
  const left = await transaction.$queryRawUnsafe<{ id: string; userId: string }[]>(
    deleteSql,
    ...which,
    lockedIds,
  )
  const sessionIds = [...new Set(left.map(({ id }) => id))]
  const loggedOut = [...new Set(left.map(({ userId }) => userId))]
  const ended = await transaction.$queryRawUnsafe<IdRow[]>(endSql, sessionIds, connectionIds, recorded)
  return { sessionIds, loggedOut, revocationIds: ended.map(({ id }) => id) }
}
