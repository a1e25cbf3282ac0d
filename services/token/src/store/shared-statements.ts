import { withPartition } from '@gatehouse/data/daily-partitions'
import { coalesce } from '@gatehouse/kit/coalesce'
import { isBadInput } from '@gatehouse/prisma/database'
import type { NewTokens } from '../issued-token.ts'

/** The limits of statements of one kind that requests share. */
export const sharing = {
  maxItems: 500,
  maxConcurrent: 2,
  maxQueued: 5_000,
  timeoutMs: 4_000,
  mayIsolate: isBadInput,
}

/** A row that belongs to an item of a shared statement, whose place it has. */
export type Placed = { position: number }

/** The results of a shared statement in the order of its items; undefined for an item that has no row. */
export function inPlaces<Row extends Placed, Result>(
  items: readonly unknown[],
  rows: readonly Row[],
  resultOf: (row: Row) => Result,
): (Result | undefined)[] {
  const results: (Result | undefined)[] = items.map(() => undefined)
  for (const row of rows) results[row.position] = resultOf(row)
  return results
}

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
