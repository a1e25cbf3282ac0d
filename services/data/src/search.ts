import type { Database } from '@gatehouse/prisma/database'
import type { QueryResultRow } from 'pg'

/** A list with an order of its own that can be searched. All conditions are about the columns of its rows. */
export type SearchableList = {
  /** A query without conditions. */
  rows: string
  /** The condition that a row matches the pattern for LIKE in $1, which is null where nothing is searched. */
  matches: string
  /** The condition that a row comes after the values from $3 on, which are null at the beginning. */
  after: string
  order: string
}

/** How many rows a search looks at in the order of the list before it asks the index of trigrams. */
const mostWalked = 20_000
/** An index of trigrams knows nothing of shorter texts. */
const shortestInside = 3

/**
 * Gives a page of a list. A text of three characters or more is found anywhere, a shorter one at the beginning.
 *
 * Where many rows match, a walk in the list's order has a page soon; where few do, an index of trigrams has. Each plan is
 * hopeless where the other is good, and PostgreSQL guesses badly which it is. So a part of the list is walked first, and the
 * index is asked when that gave no whole page.
 * @param wanted.text what is searched, as somebody typed it; empty: nothing
 * @param wanted.after the values of the list's `after`
 * @param wanted.limit how many rows at the most
 */
export async function searchList<Row extends QueryResultRow>(
  { pool }: Pick<Database, 'pool'>,
  { rows, matches, after, order }: SearchableList,
  wanted: { text: string; after: readonly unknown[]; limit: number },
): Promise<Row[]> {
  const pattern = patternOf(wanted.text)
  // PostgreSQL plans an unnamed statement for its values, so what they switch off costs nothing.
  const find = async (text: string) =>
    (await pool.query<Row>(text, [pattern, wanted.limit, ...wanted.after])).rows
  const walked = await find(`
    with walked as materialized (
      select * from (${rows}) r where ${after} order by ${order}
      limit case when $1::text is null then $2::int else ${mostWalked} end
    )
    select * from walked r where ($1::text is null or ${matches}) order by ${order} limit $2::int`)
  if (pattern === null || walked.length === wanted.limit) return walked
  return find(`
    with found as materialized (select * from (${rows}) r where ${matches})
    select * from found r where ${after} order by ${order} limit $2::int`)
}

/** A pattern for LIKE, whatever wildcards are in the text. Compare with lower(pattern). */
function patternOf(text: string): string | null {
  if (text === '') return null
  const literal = text
    .toWellFormed()
    .replaceAll('\0', ' ')
    .replace(/[\\%_]/g, '\\$&')
  return [...text].length < shortestInside ? `${literal}%` : `%${literal}%`
}
