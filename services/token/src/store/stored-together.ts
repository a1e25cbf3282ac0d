import { withPartition } from '@gatehouse/data/daily-partitions'
import { inPlaces, type Placed, sharing } from '@gatehouse/data/shared-statements'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { Database } from '@gatehouse/prisma/database'
import type { Proving } from '../clients/assertions/proof.ts'
import type { NewTokens } from '../tokens/issued-token.ts'
import { replaysAmong } from './spent-proofs.ts'

/**
 * A function that does something for which tokens are stored; those of the same moment share a statement.
 * @param store runs the statement, which gives a row for each item that it was done for
 * @returns the function. It throws NotAuthenticated for an item whose proof another request has spent
 */
export function storeTogether<Item extends { tokens: NewTokens } & Proving, Row extends Placed, Result>(
  {
    pool,
    makePartitions,
  }: Pick<Database, 'pool'> & { makePartitions(days: readonly number[]): Promise<void> },
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
      const results = inPlaces(items, rows, resultOf)
      const replays = await replaysAmong(
        pool,
        items.filter((_, index) => results[index] === undefined),
      )
      return items.map((item, index) => replays.get(item) ?? results[index])
    },
  })
}
