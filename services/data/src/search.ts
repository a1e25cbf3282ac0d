import type { Database } from '@gatehouse/prisma/database'
import type { QueryResultRow } from 'pg'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** A sorted list that can be searched. Its conditions use the columns of its rows. */
export type SearchableList = {
  /** A query without conditions. */
  rows: string
  /** The condition that a row matches the LIKE pattern in $1. */
  matches: string
  /** The condition that a row comes after the values from $3 on, which are null for the first page. */
  after: string
  order: string
}

/** A request for a page. */
export type WantedPage = {
  /** null for a list without a search. */
  pattern: string | null
  /** The values of the list's `after`. */
  after: readonly unknown[]
  /** The most rows to return. */
  limit: number
}

/** Whether a text is searched for anywhere in a name. A trigram index cannot find shorter texts. */
export function isSearchedInside(text: string): boolean {
  return [...text].length >= 3
}

/**
 * A LIKE pattern for names that begin with a text, whose wildcards are escaped. Compare with lower(pattern).
 * @returns null for an empty text, which means no search
 */
export function beginningWith(text: string): string | null {
  return text === '' ? null : `${literal(text)}%`
}

/** The same for names that contain a text. */
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
 * Reads a page of a list. An index must have the list's order and, for a pattern, the matching rows.
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function listPage<Row extends QueryResultRow>(
  { pool }: Pick<Database, 'pool'>,
  { rows, matches, after, order }: SearchableList,
  wanted: WantedPage,
): Promise<Row[]> {
  // PostgreSQL plans an unnamed statement for its values, so conditions that they make trivially true cost nothing.
  const text = `select * from (${rows}) r
    where ($1::text is null or ${matches}) and ${after} order by ${order} limit $2::int`
  const values = [wanted.pattern, wanted.limit, ...wanted.after]
  const page = await translateDatabaseErrors(pool.query<Row>(text, values))
  return page.rows
}

/** How many rows a search reads in the list's order before it uses the trigram index. */
const mostWalked = 10_000

/**
 * Reads a page of rows that contain a text. When many rows match, reading in the list's order fills a page soon; when few
 * match, a trigram index does. Each plan is very slow where the other is fast, and PostgreSQL's estimates choose badly. So
 * this reads a part of the list first, and uses the index when that did not fill the page.
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
