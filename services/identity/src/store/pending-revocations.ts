import { answered } from '@gatehouse/prisma/answered'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { PendingRevocation, PendingRevocationStore } from '../pending-revocations.ts'

type PendingRow = PendingRevocation & { id: bigint }

/**
 * Writes down, in the transaction of a change, what the token service must be told of it: as its last statement, since
 * whatever was granted until then is meant. The moment is rounded up to the millisecond, which is all that a Date has:
 * rounded down it would spare what was granted in its last microseconds.
 * @returns the pending revocation's id
 */
export async function addPendingRevocation(
  transaction: Pick<Prisma.TransactionClient, '$queryRaw'>,
  kind: PendingRevocation['kind'],
  target: string,
): Promise<bigint> {
  const [row] = await transaction.$queryRaw<{ id: bigint }[]>`
    insert into identity.pending_revocations (kind, target, issued_before)
    values (${kind}, ${target}, date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond')
    returning id`
  if (row === undefined) throw new Error('an insert without conflict gives its row')
  return row.id
}

/** The revocations that wait, in PostgreSQL. */
export function createPendingRevocationStore({ prisma }: Pick<Database, 'prisma'>): PendingRevocationStore {
  /** Delivers all that it takes at the same time, so the transaction lasts as long as the longest call. */
  function settle(
    take: (transaction: Prisma.TransactionClient) => Promise<PendingRow[]>,
    deliver: (revocation: PendingRevocation) => Promise<void>,
  ) {
    return answered(
      prisma.$transaction(async (transaction) => {
        const rows = await take(transaction)
        const results = await Promise.allSettled(
          rows.map(({ kind, target, issuedBefore }) => deliver({ kind, target, issuedBefore })),
        )
        const acknowledged = rows.filter((_, index) => results[index]?.status === 'fulfilled')
        if (acknowledged.length > 0)
          await transaction.pendingRevocation.deleteMany({
            where: { id: { in: acknowledged.map(({ id }) => id) } },
          })
        const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
        return { taken: rows.length, failures }
      }),
    )
  }

  return {
    settleOne: (id, deliver) =>
      settle(
        (transaction) => transaction.$queryRaw<PendingRow[]>`
          select id, kind, target, issued_before as "issuedBefore"
          from identity.pending_revocations where id = ${id} for update`,
        deliver,
      ),

    settleOldest: (most, deliver) =>
      settle(
        (transaction) => transaction.$queryRaw<PendingRow[]>`
          select id, kind, target, issued_before as "issuedBefore"
          from identity.pending_revocations order by id limit ${most} for update skip locked`,
        deliver,
      ),
  }
}
