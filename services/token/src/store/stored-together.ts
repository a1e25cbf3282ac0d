import { withPartition } from '@gatehouse/data/daily-partitions'
import { inPlaces, type Placed, sharing } from '@gatehouse/data/shared-statements'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { NewTokens } from '../tokens/issued-token.ts'

/**
 * A function that does something for which tokens are stored; those of the same moment share a statement.
 * @param store runs the statement, which gives a row for each item that it was done for
 */
export function storeTogether<Item extends { tokens: NewTokens }, Row extends Placed, Result>(
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
