import { answered } from './answered.ts'
import type { Database, Prisma } from './database.ts'

/** The PostgreSQL schemas in which revocations wait: each belongs to one service. */
export type RevokingSchema = 'identity' | 'clients'

/** What the token service must be told: these tokens, as far as they were granted until then, are dead. */
export type PendingRevocation = {
  kind: 'user' | 'consent' | 'client'
  /** The user's id, "<user id>:<client id>", or the client's id. */
  target: string
  /** undefined: for ever, also what is granted later. */
  issuedBefore: Date | undefined
}

/** What came of a round of deliveries. */
export type Delivered = {
  taken: number
  /** Why one was not delivered, and stays. */
  failures: unknown[]
}

/** Where revocations wait until the token service has acknowledged them. */
export type PendingRevocationStore = {
  /** Delivers one, after whoever is delivering it already; none that is gone. */
  settleOne(id: bigint, deliver: (revocation: PendingRevocation) => Promise<void>): Promise<Delivered>
  /** Delivers the oldest, at most `most`, that nobody else is delivering. */
  settleOldest(most: number, deliver: (revocation: PendingRevocation) => Promise<void>): Promise<Delivered>
}

/** Until when what was granted is meant: so many seconds from now. */
type Until = number | 'for ever'

type PendingRow = Omit<PendingRevocation, 'issuedBefore'> & { id: bigint; issuedBefore: Date | null }

/**
 * Writes down, in the transaction of a change, what the token service must be told of it: as its last statement, since
 * whatever was granted until then is meant. The moment is rounded up to the millisecond, which is all that a Date has:
 * rounded down it would spare what was granted in its last microseconds.
 * @param until by default now
 * @returns the pending revocation's id
 */
export async function addPendingRevocation(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  schema: RevokingSchema,
  { kind, target, until = 0 }: Pick<PendingRevocation, 'kind' | 'target'> & { until?: Until },
): Promise<bigint> {
  const [row] = await transaction.$queryRawUnsafe<{ id: bigint }[]>(
    `insert into ${schema}.pending_revocations (kind, target, issued_before)
    values ($1, $2, case when $3::float8 is null then 'infinity' else
      date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' + make_interval(secs => $3) end)
    returning id`,
    ...[kind, target, until === 'for ever' ? null : until],
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
  function settle(which: string, value: unknown, deliver: (revocation: PendingRevocation) => Promise<void>) {
    return answered(
      prisma.$transaction(async (transaction) => {
        const rows = await transaction.$queryRawUnsafe<PendingRow[]>(
          `select id, kind, target, nullif(issued_before, 'infinity') as "issuedBefore"
          from ${schema}.pending_revocations ${which}`,
          value,
        )
        const results = await Promise.allSettled(
          rows.map(({ kind, target, issuedBefore }) =>
            deliver({ kind, target, issuedBefore: issuedBefore ?? undefined }),
          ),
        )
        const acknowledged = rows.filter((_, index) => results[index]?.status === 'fulfilled')
        if (acknowledged.length > 0)
          await transaction.$executeRawUnsafe(
            `delete from ${schema}.pending_revocations where id = any($1::bigint[])`,
            acknowledged.map(({ id }) => id),
          )
        const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
        return { taken: rows.length, failures }
      }),
    )
  }

  return {
    settleOne: (id, deliver) => settle('where id = $1 for update', id, deliver),
    settleOldest: (most, deliver) => settle('order by id limit $1 for update skip locked', most, deliver),
  }
}
