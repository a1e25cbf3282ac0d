import { withPartition } from '@gatehouse/data/daily-partitions'
import { inPlaces, type Placed, sharing } from '@gatehouse/data/shared-statements'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { Proving } from '../clients/assertions/proof.ts'
import type { NewTokens } from '../tokens/issued-token.ts'

/**
 * A function that does something for which tokens are stored; those of the same moment share a statement.
 * @param store runs the statement, which gives a row for each item that it was done for
 * @returns the function. It gives undefined for an item without a row, whose proof may have been spent by another request or not at all:
 *   the caller must spend it before they look for the reason
 */
export function storeTogether<Item extends { tokens: NewTokens } & Proving, Row extends Placed, Result>(
  { makePartitions }: { makePartitions(days: readonly number[]): Promise<void> },
  store: (items: readonly Item[]) => Promise<{ rows: Row[] }>,
  resultOf: (row: Row) => Result,
): (item: Item) => Promise<Result | undefined> {
  return coalesce<Item, Result | undefined>({
    ...sharing,
    run: async (items) => {
      const { rows } = await withPartition(
        () => store(items),
        () => makePartitions(items.map(({ tokens }) => tokens.expiresAt)),
      )
      return inPlaces(items, rows, resultOf)
    },
  })
}
