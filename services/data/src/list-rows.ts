import type { Keyed } from '@gatehouse/kit/page'
import type { Database } from '@gatehouse/prisma/database'
import type { QueryResultRow } from 'pg'
import type { Search } from './search.ts'
import { afterKey, keyColumns, orderBy, type SortColumn, type SortOrder } from './sort-column.ts'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** A list that is read by pages, searched, sorted and filtered. */
export type List<Filter> = {
  /** A query; the conditions below call its rows r. One of a part of a table, such as the members of one group, names it by a parameter. */
  rows: string | ((parameter: (value: unknown) => string) => string)
  /** The condition that a row matches the pattern for LIKE that a parameter has. */
  matches(parameter: string): string
  /** One or two columns that no two rows have alike, by the name of the order. */
  sorts: Readonly<Record<string, readonly SortColumn[]>>
  /**
   * The order by a searched text, if there is one: in it a search gives first the rows where this text begins with the searched
   * one. The condition is as `matches`, for this text alone.
   */
  beginningFirst?: { sort: string; matches(parameter: string): string }
  /** The condition of each filter. */
  conditions: Conditions<Filter>
  /** Whether it has 10,000 rows at most, and no index of trigrams: then a search looks at all of them. */
  short?: boolean
}

/** The condition of each filter of a list, for a value that is set. @param parameter gives the name of a parameter with this value */
type Conditions<Filter> = {
  readonly [Name in keyof Filter]-?: (
    value: NonNullable<Filter[Name]>,
    parameter: (value: unknown) => string,
  ) => string
}

/** The conditions of the filters that are set. */
function conditionsOf<Filter>(
  filter: Filter,
  conditions: Conditions<Filter>,
  parameter: (value: unknown) => string,
): string[] {
  const names = Object.keys(conditions) as (keyof Filter)[]
  return names.flatMap((name) => {
    const value = filter[name]
    return value === undefined || value === null ? [] : [conditions[name](value, parameter)]
  })
}

/** Which rows of a list are wanted. */
type WantedRows<Filter> = {
  search: Search
  filter: Filter
  order: SortOrder
  /** The key after which they come; undefined: from the beginning. */
  after: readonly string[] | undefined
  /** How many at most. */
  limit: number
}

/** How many rows a search looks at in the order of the list before it asks the index of trigrams. */
const mostWalked = 10_000

/**
 * Finds rows of a list, with their keys. Where many rows match a pattern, a walk in the list's order has a page soon; where few do,
 * an index of trigrams has. Each plan is hopeless where the other is good, and PostgreSQL guesses badly which it is. So a part
 * of the list is walked first, and the index is asked when that gave no whole page.
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function findRows<Row extends QueryResultRow, Filter>(
  pool: Database['pool'],
  list: List<Filter>,
  wanted: WantedRows<Filter>,
): Promise<Keyed<Row>[]> {
  if (!wanted.search.scattered || list.short) return query(pool, statement(list, wanted, 'in order'))
  const walked = await query<Row>(pool, statement(list, wanted, 'walk a part'))
  if (walked.length === wanted.limit) return walked
  return query(pool, statement(list, wanted, 'matches first'))
}

type Statement = { text: string; values: unknown[] }

/** A statement for rows of a list. PostgreSQL plans an unnamed one for its values. */
function statement<Filter>(
  { rows, matches, beginningFirst, conditions }: List<Filter>,
  { search, filter, order, after, limit }: WantedRows<Filter>,
  plan: 'in order' | 'walk a part' | 'matches first',
): Statement {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const position = after ? [afterKey(order, after.map(parameter))] : []
  const sorted = beginningFirst?.matches ?? matches
  const chosen = [
    ...(search.pattern === undefined
      ? []
      : [(search.of === 'sorted' ? sorted : matches)(parameter(search.pattern))]),
    ...(search.without === undefined ? [] : [`not ${sorted(parameter(search.without))}`]),
    ...conditionsOf(filter, conditions, parameter),
  ]
  const where = (...all: string[]) => (all.length === 0 ? '' : `where ${all.join(' and ')}`)
  const inOrder = `order by ${orderBy(order)}`
  const page = `${inOrder} limit ${parameter(limit)}::int`
  const select = `select *, ${keyColumns(order)} as "sortKey" from`
  const from = `(${typeof rows === 'string' ? rows : rows(parameter)}) r`
  if (plan === 'in order')
    return { text: `${select} ${from} ${where(...chosen, ...position)} ${page}`, values }
  const [inside, outside] =
    plan === 'walk a part'
      ? [`${where(...position)} ${inOrder} limit ${mostWalked}`, where(...chosen)]
      : [where(...chosen), where(...position)]
  const text = `with part as materialized (select * from ${from} ${inside})
    ${select} part r ${outside} ${page}`
  return { text, values }
}

async function query<Row extends QueryResultRow>(
  pool: Database['pool'],
  { text, values }: Statement,
): Promise<Keyed<Row>[]> {
  const { rows } = await translateDatabaseErrors(pool.query<Row & { sortKey: string[] }>(text, values))
  return rows.map(({ sortKey, ...item }) => ({ item: item as unknown as Row, key: sortKey }))
}
