import { isBadInput } from '@gatehouse/prisma/database'

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
