import { Refusal } from '@gatehouse/kit/errors'
import { checkLimit, type Page, type PageRequest, readCursor, writeCursor } from '@gatehouse/kit/page'

/** The wanted part of one of several lists that are merged. */
export type WantedPart = {
  /** The position of the last item that was shown; undefined: from the newest. */
  position: string | undefined
  /** Only items before this moment; undefined: of any time. */
  until: Date | undefined
  /** How many to return, if there are as many. */
  limit: number
}

/** A part of a list, newest first. */
export type FoundPart<Item> = {
  items: {
    item: Item
    /** In milliseconds since the Unix epoch; never more than that of the item before. */
    time: number
    position: string
  }[]
  /** Whether the list goes on after them. */
  more: boolean
}

/** Reads a part of a list. @throws Refusal invalid_request for a position that is not one of its own */
export type ReadPart<Item> = (wanted: WantedPart) => Promise<FoundPart<Item>>

/** A page of merged lists. */
export type MergeRequest = PageRequest & {
  /** Only items before this moment; undefined: of any time. */
  until?: Date | undefined
}

/**
 * Merges lists of what happened, newest first. The cursor holds the time of the last item that was shown, and each list's own position:
 * so nothing is left out or repeated, and what happens between two requests appears on no later page. If one list cannot be read, the
 * whole request fails: an unnoticed gap would be worse.
 * @throws Refusal invalid_request for an invalid limit or cursor
 */
export async function mergeLists<Item>(
  lists: readonly ReadPart<Item>[],
  { cursor, limit, until }: MergeRequest,
): Promise<Page<Item>> {
  checkLimit(limit)
  const { time, positions } = readPlace(cursor, lists.length)
  const end = time === undefined ? until : earlier(until, new Date(time + 1))
  const parts = await Promise.all(
    lists.map((read, list) => read({ position: positions[list] || undefined, until: end, limit })),
  )
  const found = parts.flatMap(({ items }, list) => items.map((item) => ({ ...item, list })))
  // This sort keeps the order of items of one time, so each list stays in its own order.
  found.sort((one, other) => other.time - one.time)
  const shown = found.slice(0, limit)
  for (const { list, position } of shown) positions[list] = position
  const last = shown.at(-1)
  const more = found.length > limit || parts.some((part) => part.more)
  return {
    items: shown.map(({ item }) => item),
    nextCursor: more && last ? writeCursor([String(last.time), ...positions]) : undefined,
  }
}

/** Where a page begins: the time of the last item that was shown, and the position of each list, which is empty at its beginning. */
function readPlace(
  cursor: string | undefined,
  lists: number,
): { time: number | undefined; positions: string[] } {
  const place = readCursor(cursor, 1 + lists)
  if (place === undefined) return { time: undefined, positions: Array<string>(lists).fill('') }
  const [time = '', ...positions] = place
  // 13 digits are enough until the year 2286.
  if (!/^\d{1,13}$/.test(time)) throw new Refusal('invalid_request', 'cursor is invalid.')
  return { time: Number(time), positions }
}

function earlier(one: Date | undefined, other: Date): Date {
  return one !== undefined && one < other ? one : other
}
