import type { Database, Prisma } from '@gatehouse/prisma/database'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** The PostgreSQL schemas in which revocations wait: each belongs to one service. */
export type RevokingSchema = 'identity' | 'clients'

/** What the token service must be told: these tokens, as far as they were granted until then, are dead. */
export type PendingRevocation = {
  /** client_change: the client's tokens are as good as the client is now, whenever they were granted. */
  kind: 'user' | 'consent' | 'client' | 'client_change'
  /** The user's id, "<user id>:<client id>", or the client's id. */
  target: string
  /** undefined: for ever, also what is granted later. */
  issuedBefore: Date | undefined
}

/**
 * Tells the token service.
 * @param transaction holds the row; what else must be read is read in it, for whoever waited for a second connection while
 *   holding one could wait for another who does the same
 */
export type Deliver = (revocation: PendingRevocation, transaction: Prisma.TransactionClient) => Promise<void>

/** What came of a round of deliveries. */
export type Delivered = {
  taken: number
  /** The last row that was taken; undefined where there was none. */
  lastId: bigint | undefined
  /** Why one was not delivered, and stays. */
  failures: unknown[]
}

/** Where revocations wait until the token service has acknowledged them. */
export type PendingRevocationStore = {
  /** Delivers one, after whoever is delivering it already; none that is gone. */
  settleOne(id: bigint, deliver: Deliver): Promise<Delivered>
  /** Delivers the oldest after this id, at most `most`, that nobody else is delivering. */
  settleOldest(most: number, afterId: bigint, deliver: Deliver): Promise<Delivered>
}

type PendingRow = Omit<PendingRevocation, 'issuedBefore'> & { id: bigint; issuedBefore: Date | null }

/**
 * Writes down, in the transaction of a change, what the token service must be told of it: as its last statement, since
 * whatever was granted until then is meant. The moment is rounded up to the millisecond, which is all that a Date has:
 * rounded down it would spare what was granted in its last microseconds.
 * @param until by default what was granted until now
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
    values ($1, $2, case when $3 then 'infinity' else
      date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' end)
    returning id`,
    ...[kind, target, until === 'for ever'],
  )
  if (row === undefined) throw new Error('an insert without conflict gives its row')
  return row.id
}

/** The revocations that wait in a schema of PostgreSQL. */
export function createPendingRevocationStore(
  { prisma }: Pick<Database, 'prisma'>,
  schema: RevokingSchema,
): PendingRevocationStore {
  /** Delivers all that it takes at the same time, so the transaction lasts as long as the longest call. */
  function settle(which: string, values: readonly unknown[], deliver: Deliver) {
    return translateDatabaseErrors(
      prisma.$transaction(async (transaction) => {
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
      }),
    )
  }

  return {
    settleOne: (id, deliver) => settle('where id = $1 for update', [id], deliver),
    settleOldest: (most, afterId, deliver) =>
      settle('where id > $2 order by id limit $1 for update skip locked', [most, afterId], deliver),
  }
}
