import type { Administered, FilterValues, SortOf } from '@gatehouse/proto/administered/administered'
import type { TSchema } from '@gatehouse/proto/typebox'
import { Check } from '@gatehouse/proto/typebox/value'
import { Refusal } from '../errors.ts'
import { checkLimit, checkSort, type Page, type PageRequest } from '../page.ts'
import { isStorable } from '../storable.ts'
import { filterOfLastRelease } from './released-filters.ts'

/** A request for a page of a list, as it travels between the processes. */
export type ListRequest = PageRequest & {
  search?: string | undefined
  /** undefined for the default. */
  sort?: string | undefined
  /** The filters that are set, each as a text. */
  filters: Readonly<Record<string, string>>
}

/** The page of a list that is wanted, all of it checked. */
export type WantedList<Definition extends Administered> = PageRequest & {
  /** A part of a text, of fewer than three characters its beginning; undefined: all items. */
  search: string | undefined
  sort: SortOf<Definition>
  filter: FilterValues<Definition>
}

/** Reads a list. */
export type ListStore<Definition extends Administered, Item> = {
  /** @throws Refusal invalid_request for an invalid cursor */
  list(wanted: WantedList<Definition>): Promise<Page<Item>>
  /** The number of all items; an estimate from 100,000 on. */
  total(): Promise<number>
}

/**
 * A page of a list for administrators, and the number of all its items.
 * @throws Refusal invalid_request for an invalid limit, cursor, sort or filter; temporarily_unavailable for a filter that only a newer
 *   release knows, since other items than those asked for are worse than none
 */
export async function listAdministered<Definition extends Administered, Item>(
  definition: Definition,
  request: ListRequest,
  store: ListStore<Definition, Item>,
): Promise<Page<Item> & { total: number }> {
  const wanted: WantedList<Definition> = {
    search: request.search?.trim() || undefined,
    sort: checkSort<SortOf<Definition>>(request.sort, definition.sorts),
    filter: readFilters(definition, request),
    cursor: request.cursor,
    limit: checkLimit(request.limit),
  }
  const [page, total] = await Promise.all([store.list(wanted), store.total()])
  return { ...page, total }
}

/** @throws Refusal */
function readFilters<Definition extends Administered>(
  { filters }: Definition,
  request: ListRequest,
): FilterValues<Definition> {
  if (!Object.keys(request.filters).every((name) => Object.hasOwn(filters, name)))
    throw new Refusal('temporarily_unavailable')
  const values = Object.entries(filters).flatMap(([name, { schema }]) => {
    const text = request.filters[name]
    const value = text === undefined ? filterOfLastRelease(request, name) : valueIn(text, schema)
    if (value === undefined) return []
    if (!Check(schema, value) || !isStorable(String(value)))
      throw new Refusal('invalid_request', `${name} is invalid.`)
    return [[name, value]]
  })
  return Object.fromEntries(values)
}

/** The value of a text, of the kind that its schema has. A text that is none stays a text, which the schema refuses. */
function valueIn(text: string, schema: TSchema): unknown {
  const isBoolean = 'type' in schema && schema.type === 'boolean'
  return isBoolean && (text === 'true' || text === 'false') ? text === 'true' : text
}
