import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Page, readCursor, writeCursor } from '@gatehouse/kit/page'
import type { AuditEntry } from '@gatehouse/proto/audit/v1'
import type { AuditLog } from './deps.ts'

/** Which entries are wanted. */
export type AuditRequest = {
  cursor: string
  /** From 1 to 200. */
  limit: number
  /** Only of this actor, or on this target; empty: all. */
  actorId: string
  target: string
}

/**
 * What administrators did, the newest first: the logs of all services as one, in the order of their entries' ids, which
 * are those of time. If one cannot be had, none is: a log with a gap that nobody sees would be worse.
 * @throws Refusal invalid_request for an invalid cursor
 */
export async function readAuditLog(
  logs: readonly AuditLog[],
  { cursor, limit, actorId, target }: AuditRequest,
): Promise<Page<AuditEntry>> {
  checkLimit(limit)
  const beforeEntryId = readCursor(cursor, 1)?.[0]
  if (beforeEntryId !== undefined && !isUuid(beforeEntryId))
    throw new Refusal('invalid_request', 'cursor is invalid.')
  const asked = Math.min(limit + 1, mostEntries)
  const question = { beforeEntryId: beforeEntryId ?? '', limit: asked, actorId, target }
  const found = await Promise.all(logs.map((log) => log.listAuditEntries(question)))
  const entries = found.flatMap(({ entries }) => entries)
  entries.sort((one, other) => (one.entryId < other.entryId ? 1 : -1))
  // Of the largest page one more than it holds cannot be asked for.
  const more = entries.length > limit || found.some(({ entries }) => entries.length === asked)
  const items = entries.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: more && last ? writeCursor([last.entryId]) : '' }
}

/** What a service gives at once. */
const mostEntries = 200
