import type { Database } from '@gatehouse/prisma/database'
import type { QueryResultRow } from 'pg'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** A list with an order of its own that can be searched. All conditions are about the columns of its rows. */
export type SearchableList = {
  /** A query without conditions. */
  rows: string
  /** The condition that a row matches the pattern for LIKE in $1. */
  matches: string
  /** The condition that a row comes after the values from $3 on, which are null at the beginning. */
  after: string
  order: string
}

/** What a page is asked for. */
export type WantedPage = {
  /** Null: nothing is searched. */
  pattern: string | null
  /** The values of the list's `after`. */
  after: readonly unknown[]
  /** How many rows at most. */
  limit: number
}

/** Whether a text is searched in any part of a name: an index of trigrams knows nothing of shorter ones. */
export function isSearchedInside(text: string): boolean {
  return [...text].length >= 3
}

/**
 * A pattern for LIKE that finds what begins with a text, whatever wildcards are in it. Compare with lower(pattern).
 * @returns null for an empty text: nothing is searched
 */
export function beginningWith(text: string): string | null {
  return text === '' ? null : `${literal(text)}%`
}

/** The same for what contains a text. */
export function containing(text: string): string {
  return `%${literal(text)}%`
}

function literal(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', ' ')
    .replace(/[\\%_]/g, '\\$&')
}

/**
 * Gives a page of a list, where an index has its order and, for a pattern, what matches.
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function listPage<Row extends QueryResultRow>(
  { pool }: Pick<Database, 'pool'>,
  { rows, matches, after, order }: SearchableList,
  wanted: WantedPage,
): Promise<Row[]> {
  // PostgreSQL plans an unnamed statement for its values, so what they switch off costs nothing.
  const text = `select * from (${rows}) r
    where ($1::text is null or ${matches}) and ${after} order by ${order} limit $2::int`
  const values = [wanted.pattern, wanted.limit, ...wanted.after]
  const page = await translateDatabaseErrors(pool.query<Row>(text, values))
  return page.rows
}

/** How many rows a search looks at in the order of the list before it asks the index of trigrams. */
const mostWalked = 10_000

/**
 * Gives a page of what contains a text. Where many rows match, a walk in the list's order has a page soon; where few do, an index
 * of trigrams has. Each plan is hopeless where the other is good, and PostgreSQL guesses badly which it is. So a part of the
 * list is walked first, and the index is asked when that gave no whole page.
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function searchInside<Row extends QueryResultRow>(
  { pool }: Pick<Database, 'pool'>,
  { rows, matches, after, order }: SearchableList,
  wanted: WantedPage,
): Promise<Row[]> {
  const values = [wanted.pattern, wanted.limit, ...wanted.after]
  const find = async (text: string) => (await translateDatabaseErrors(pool.query<Row>(text, values))).rows
  const walked = await find(
    `with walked as materialized (
      select * from (${rows}) r where ${after} order by ${order} limit ${mostWalked}
    )
    select * from walked r where ${matches} order by ${order} limit $2::int`,
  )
  if (walked.length === wanted.limit) return walked
  return find(
    `with found as materialized (select * from (${rows}) r where ${matches})
    select * from found r where ${after} order by ${order} limit $2::int`,
  )
}
