import { Refusal } from './errors.ts'
import { isStorable } from './storable.ts'

/** Which page of a list to return. */
export type PageRequest = {
  /** The previous page's nextCursor; undefined for the first page. */
  cursor?: string | undefined
  limit: number
}

/** A page of a list. */
export type Page<Item> = {
  items: Item[]
  /** undefined on the last page. */
  nextCursor: string | undefined
}

/** The most items that a page may have. */
export const mostItems = 200
/** In characters; no cursor made here is as long. */
const longestCursor = 4_000

/**
 * Checks the number of items that a caller wants.
 * @throws Refusal invalid_request
 */
export function checkLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > mostItems)
    throw new Refusal('invalid_request', `limit must be a whole number from 1 to ${mostItems}.`)
  return limit
}

/**
 * Checks by what a list is to be sorted.
 * @param sort undefined: the first one
 * @param sorts those that the list has
 * @throws Refusal invalid_request
 */
export function checkSort<Sort extends string>(
  sort: string | undefined,
  sorts: readonly [Sort, ...Sort[]],
): Sort {
  const found = sort === undefined ? sorts[0] : sorts.find((one) => one === sort)
  if (found === undefined) throw new Refusal('invalid_request', `sort must be one of ${sorts.join(', ')}.`)
  return found
}

/** A cursor of the key of a page's last item, opaque to the caller that carries it. */
export function writeCursor(key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/**
 * Reads the key that a cursor was made of.
 * @param parts how many texts the key consists of
 * @returns undefined without a cursor
 * @throws Refusal invalid_request for a cursor that was not made here
 */
export function readCursor(cursor: string | undefined, parts: number): string[] | undefined {
  if (cursor === undefined) return undefined
  const key = cursor.length > longestCursor ? undefined : parsed(cursor)
  const isKey = Array.isArray(key) && key.length === parts && key.every(isStorable)
  // Each key has one spelling: any other text that decodes to the same key was not made here.
  if (!isKey || writeCursor(key) !== cursor) throw new Refusal('invalid_request', 'cursor is invalid.')
  return key
}

/** An item of a list, with the key that the list is sorted by. */
export type Keyed<Item> = { item: Item; key: readonly string[] }

/**
 * Makes a page of the items found.
 * @param found the page's items, and one more if the list goes on
 */
export function pageOf<Item>(found: readonly Keyed<Item>[], limit: number): Page<Item> {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(({ item }) => item),
    nextCursor: found.length > limit && last ? writeCursor(last.key) : undefined,
  }
}

/** A page that says of each item with which cursor the list goes on after it, so that the list can be merged with others. */
export type MergeablePage<Item> = Page<Item> & { cursors: string[] }

/** Makes such a page, as `pageOf` does. */
export function mergeablePageOf<Item>(found: readonly Keyed<Item>[], limit: number): MergeablePage<Item> {
  return { ...pageOf(found, limit), cursors: found.slice(0, limit).map(({ key }) => writeCursor(key)) }
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}
