import type { Database, Prisma } from '@gatehouse/prisma/database'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** The PostgreSQL schemas with pending revocations. Each belongs to one service. */
export type RevokingSchema = 'identity' | 'clients'

/** A revocation of tokens of which the token service must be told. */
export type PendingRevocation = {
  /**
   * client_change: the token service must apply the client's current state to its tokens, whenever they were granted. deleted_client: the
   * client has no state any more, but may come back with a later revision. own: only what the client was granted without a user.
   * authority: access tokens that were made by an older revision of what gives roles and groups. organization, membership: what was
   * granted in an organization, by everybody or by one user. connection: what was granted after a login by a connection, by everybody, by
   * one user or in one session.
   */
  kind:
    | 'user'
    | 'consent'
    | 'session'
    | 'client'
    | 'own'
    | 'client_change'
    | 'deleted_client'
    | 'resource'
    | 'authority'
    | 'organization'
    | 'membership'
    | 'connection'
  /**
   * The id of the user, the session, the client or the organization, "<user id>:<client id>" with ":<organization id>" in an organization,
   * "<revision>:<id of the deleted client>", the identifier of the resource server, "<revision>:<key of proto/authority.ts>",
   * "<user id>:<organization id>", or the id of the connection, alone or with ":<user id>" or ":<session id>".
   */
  target: string
  /** Everything granted until then is revoked; undefined also revokes what is granted later. */
  issuedBefore: Date | undefined
}

/**
 * Delivers a revocation to the token service.
 * @param transaction holds the row's lock. Read other data in it as well: waiting for a second connection while holding one
 *   can deadlock with others that do the same
 */
export type Deliver = (revocation: PendingRevocation, transaction: Prisma.TransactionClient) => Promise<void>

/** The result of a round of deliveries. */
export type Delivered = {
  /** How many rows the round tried to deliver. */
  taken: number
  /** The last of these rows; undefined when there was none. */
  lastId: bigint | undefined
  /** The errors of the rows that were not delivered and stay pending. */
  failures: unknown[]
}

/** Stores revocations until the token service has acknowledged them. */
export type PendingRevocationStore = {
  /**
   * Delivers revocations whose transaction was committed just now. Waits while another replica delivers them, and does nothing for those
   * already delivered.
   */
  settleThese(ids: readonly bigint[], deliver: Deliver): Promise<Delivered>
  /** Delivers the oldest revocations after this id, at most `most`, skipping those that another replica is delivering. */
  settleOldest(most: number, afterId: bigint, deliver: Deliver): Promise<Delivered>
}

type PendingRow = Omit<PendingRevocation, 'issuedBefore'> & { id: bigint; issuedBefore: Date | null }

/**
 * The time of a pending revocation that covers what was granted until now. It is rounded up to the millisecond, because a Date
 * has no microseconds: rounded down, it would spare what was granted in the last ones.
 */
export const untilNowSql = "date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond'"

/**
 * Records a pending revocation in the transaction of a change. Call it as the transaction's last statement, because it covers
 * what was granted until then.
 * @param until `now` revokes what was granted until now, `for ever` also what is granted later
 * @returns the pending revocation's id
 */
export async function addPendingRevocation(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  schema: RevokingSchema,
  {
    kind,
    target,
    until = 'now',
  }: Pick<PendingRevocation, 'kind' | 'target'> & { until?: 'now' | 'for ever' },
): Promise<bigint> {
  const [row] = await transaction.$queryRawUnsafe<{ id: bigint }[]>(
    `insert into ${schema}.pending_revocations (kind, target, issued_before)
    values ($1, $2, case when $3 then 'infinity' else ${untilNowSql} end)
    returning id`,
    kind,
    target,
    until === 'for ever',
  )
  if (row === undefined) throw new Error('the insert returned no row')
  return row.id
}

/** The kinds that go by time, and not by a revision. */
const renewedKinds = "'user', 'consent', 'own', 'resource', 'organization', 'membership', 'connection'"

/**
 * Extends revocations to now. Until the commit, others saw the state from before the change, and gave grants later than the time that the
 * transaction had noted: a commit can take long. Not those of clients: no token is stored for a client that has changed, and the
 * revocation that comes with enabling one must spare what it gets from then on. Those of authority go by revisions, and not by time.
 */
const renewSql = (schema: RevokingSchema) => `
  update ${schema}.pending_revocations set issued_before = ${untilNowSql}
  where id = any($1::bigint[]) and issued_before <> 'infinity' and kind in (${renewedKinds})`

/**
 * The pending revocations in a PostgreSQL schema.
 * @param leftFor for how long settleOldest leaves a revocation to the process that recorded it, which extends it first, in milliseconds
 */
export function createPendingRevocationStore(
  { prisma }: Pick<Database, 'prisma'>,
  schema: RevokingSchema,
  leftFor = 0,
): PendingRevocationStore {
  /** Delivers the selected rows in parallel, so that the transaction lasts only as long as the longest call. */
  function settle(which: string, values: readonly unknown[], deliver: Deliver) {
    // It stays even if nobody waits for it any more: what it deletes was delivered.
    const settled = prisma.$transaction(async (transaction) => {
      const rows = await transaction.$queryRawUnsafe<PendingRow[]>(
        `select id, kind, target, nullif(issued_before, 'infinity') as "issuedBefore"
        from ${schema}.pending_revocations ${which}`,
        ...values,
      )
      const results = await Promise.allSettled(
        rows.map(({ kind, target, issuedBefore }) =>
          deliver({ kind, target, issuedBefore: issuedBefore ?? undefined }, transaction),
        ),
      )
      const acknowledged = rows.filter((_, index) => results[index]?.status === 'fulfilled')
      if (acknowledged.length > 0)
        await transaction.$executeRawUnsafe(
          `delete from ${schema}.pending_revocations where id = any($1::bigint[])`,
          acknowledged.map(({ id }) => id),
        )
      const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      return { taken: rows.length, lastId: rows.at(-1)?.id, failures }
    })
    return translateDatabaseErrors(settled)
  }

  return {
    async settleThese(ids, deliver) {
      await translateDatabaseErrors(prisma.$executeRawUnsafe(renewSql(schema), ids))
      return settle('where id = any($1::bigint[]) order by id for update', [ids], deliver)
    },
    settleOldest: (most, afterId, deliver) =>
      settle(
        `where id > $2 and (issued_before = 'infinity' or issued_before <= ${untilNowSql} - $3 * interval '1 millisecond')
        order by id limit $1 for update skip locked`,
        [most, afterId, leftFor],
        deliver,
      ),
  }
}
