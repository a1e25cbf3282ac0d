import { Refusal } from '@gatehouse/kit/errors'
import { isCallerGone } from '@gatehouse/kit/rpc/current-call'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/**
 * Does work in a transaction. If the RPC was cancelled by its end, it is rolled back, since the caller's own caller was told that the
 * work failed. A request can be on its way for seconds when the network loses packets, and must not undo what was done since.
 * @param work does the work with the transaction that it is given
 * @throws Refusal temporarily_unavailable when the database is away, or the call was cancelled; else what `work` threw
 */
export function inTransaction<Result>(
  { prisma }: Pick<Database, 'prisma'>,
  work: (transaction: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  return translateDatabaseErrors(
    prisma.$transaction(async (transaction) => {
      const result = await work(transaction)
      if (isCallerGone()) {
        const cause = new Error('the caller stopped waiting, so the transaction was rolled back')
        throw new Refusal('temporarily_unavailable', undefined, { cause })
      }
      return result
    }),
  )
}
