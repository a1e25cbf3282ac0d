import { Refusal } from '@gatehouse/kit/errors'
import { type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'
import type { Database } from '@gatehouse/prisma/database'
import type { QueryResultRow } from 'pg'
import { findRows, type List } from './list-rows.ts'
import { searchesFor } from './search.ts'
import { isKey, type SortOrder } from './sort-column.ts'

/** The wanted page of a list. */
export type WantedPage<Filter> = PageRequest & {
  /** A part of a text, of fewer than three characters its beginning; undefined: all rows. */
  search: string | undefined
  /** The name of an order, with `-` before it in descending order. */
  sort: string
  filter: Filter
}

/**
 * Reads a page of a list. An index must have each of its orders, and an index of trigrams what matches a pattern.
 * @throws Refusal invalid_request for an invalid cursor, temporarily_unavailable when the database is away
 */
export async function readPage<Row extends QueryResultRow, Filter>(
  { pool }: Pick<Database, 'pool'>,
  list: List<Filter>,
  { search, sort, filter, cursor, limit }: WantedPage<Filter>,
): Promise<Page<Row>> {
  const name = sort.replace(/^-/, '')
  const order = { columns: list.sorts[name] ?? [], descending: sort.startsWith('-') }
  const searches = searchesFor(search, name === list.beginningFirst?.sort)
  const start = startOf(cursor, { sort, order, searches: searches.length })
  const found: Keyed<Row>[] = []
  for (const [number, search] of searches.entries()) {
    const left = limit + 1 - found.length
    if (number < start.search || left === 0) continue
    const after = number === start.search ? start.key : undefined
    const rows = await findRows<Row, Filter>(pool, list, { search, filter, order, after, limit: left })
    found.push(...rows.map(({ item, key }) => ({ item, key: [sort, String(number), ...key] })))
  }
  return pageOf(found, limit)
}

/** Where a page starts: in which of the searches, and after which key. A cursor holds both, and the order that they are of. */
function startOf(
  cursor: string | undefined,
  { sort, order, searches }: { sort: string; order: SortOrder; searches: number },
) {
  const parts = readCursor(cursor, 2 + order.columns.length)
  if (parts === undefined) return { search: 0, key: undefined }
  const [cursorSort, search = '', ...key] = parts
  if (cursorSort !== sort || !/^[01]$/.test(search) || Number(search) >= searches || !isKey(order, key))
    throw new Refusal('invalid_request', 'cursor is invalid.')
  return { search: Number(search), key }
}
