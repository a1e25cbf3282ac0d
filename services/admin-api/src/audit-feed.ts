import { Refusal } from '@gatehouse/kit/errors'
import { readCursor, writeCursor } from '@gatehouse/kit/page'
import type { PlacedAuditEntry } from '@gatehouse/proto/audit/v1'
import { firstIdOf } from './audit-log.ts'
import type { AuditLog } from './deps.ts'

/** An entry of the feed. */
export type FeedItem = {
  entry: NonNullable<PlacedAuditEntry['entry']>
  /** The cursor to go on behind it. */
  cursor: string
}

/** A part of the feed. */
export type FeedPart = {
  items: FeedItem[]
  /** The cursor to go on with, also when there are no items. */
  cursor: string
  /** Whether there are more now. */
  more: boolean
}

/** How many logs a cursor has room for. That of the events service is missing while eventing is off. */
const mostLogs = 4

/**
 * Reads the audit logs of all services in the order in which their entries became visible. Each log has its own order, which the feed keeps;
 * among them the smallest id comes first. The cursor holds the position in each log, so nothing is left out or repeated, whatever is
 * committed meanwhile.
 * @param wanted.cursor absent to begin
 * @param wanted.since only entries from then on
 * @throws Refusal invalid_request for an invalid cursor
 */
export async function readFeed(
  wanted: { cursor: string | undefined; since: Date | undefined; limit: number },
  logs: readonly AuditLog[],
): Promise<FeedPart> {
  const positions = positionsIn(wanted.cursor)
  const fromEntryId = wanted.since && firstIdOf(wanted.since)
  const parts = await Promise.all(
    logs.map((log, at) =>
      log.followAuditEntries({ afterPosition: positions[at], fromEntryId, limit: wanted.limit }),
    ),
  )
  const waiting = parts.map(({ entries }) => entries.slice())
  for (const [at, { entries, position }] of parts.entries())
    positions[at] = entries[0] ? entries[0].position - 1n : position
  const items: FeedItem[] = []
  while (items.length < wanted.limit) {
    const at = logWithSmallestId(waiting)
    const { entry, position } = waiting[at]?.shift() ?? {}
    if (entry === undefined || position === undefined) break
    positions[at] = position
    items.push({ entry, cursor: cursorOf(positions) })
  }
  const more = waiting.some(({ length }) => length > 0) || parts.some((part) => part.more)
  return { items, cursor: cursorOf(positions), more }
}

function logWithSmallestId(waiting: readonly PlacedAuditEntry[][]): number {
  const ids = waiting.map(([first]) => first?.entry?.entryId)
  const smallest = ids.filter((id) => id !== undefined).sort()[0]
  return smallest === undefined ? -1 : ids.indexOf(smallest)
}

function positionsIn(cursor: string | undefined): (bigint | undefined)[] {
  const positions = readCursor(cursor, mostLogs) ?? Array<string>(mostLogs).fill('')
  if (!positions.every((position) => /^\d{0,18}$/.test(position)))
    throw new Refusal('invalid_request', 'cursor is invalid.')
  return positions.map((position) => (position === '' ? undefined : BigInt(position)))
}

function cursorOf(positions: readonly (bigint | undefined)[]): string {
  return writeCursor(positions.map((position) => String(position ?? '')))
}
