import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Page, type PageRequest, readCursor, writeCursor } from '@gatehouse/kit/page'
import type { AuditEntry } from '@gatehouse/proto/audit/v1'
import type { AuditLog } from './deps.ts'

/** Which entries are wanted: those to which all of this applies. */
export type AuditRequest = PageRequest & {
  /** Who did it; empty: anybody. */
  actorId: string
  /** What it was done to; empty: anything. */
  target: string
  /** As `client.update`; empty: any. */
  action?: string
  /** From this moment on, and before that one; undefined: at any time. */
  since?: Date | undefined
  until?: Date | undefined
}

/** What a service gives at once. */
const mostEntries = 200

/**
 * What administrators did, the newest first: the logs of all services as one, in the order of their entries' ids, which
 * are those of time. If one cannot be had, none is: a log with a gap that nobody sees would be worse.
 * @throws Refusal invalid_request for an invalid limit or cursor
 */
export async function readAuditLog(
  logs: readonly AuditLog[],
  { cursor, limit, since, until, actorId, target, action = '' }: AuditRequest,
): Promise<Page<AuditEntry>> {
  checkLimit(limit)
  const asked = Math.min(limit + 1, mostEntries)
  const question = {
    actorId,
    target,
    action,
    limit: asked,
    beforeEntryId: earlier(readPosition(cursor), until && firstIdOf(until)),
    fromEntryId: since ? firstIdOf(since) : '',
  }
  const found = await Promise.all(logs.map((log) => log.listAuditEntries(question)))
  const entries = found.flatMap(({ entries }) => entries)
  entries.sort((one, other) => (one.entryId < other.entryId ? 1 : -1))
  // Of the largest page one more than it holds cannot be asked for.
  const more = entries.length > limit || found.some(({ entries }) => entries.length === asked)
  const items = entries.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: more && last ? writeCursor([last.entryId]) : '' }
}

function readPosition(cursor: string): string | undefined {
  const entryId = readCursor(cursor, 1)?.[0]
  if (entryId !== undefined && !isUuid(entryId)) throw new Refusal('invalid_request', 'cursor is invalid.')
  return entryId
}

function earlier(one: string | undefined, other: string | undefined): string {
  if (one === undefined || other === undefined) return one ?? other ?? ''
  return one < other ? one : other
}

/** The first UUIDv7 (RFC 9562 section 5.7) of a moment: entries made from then on have larger ids. */
function firstIdOf(time: Date): string {
  const milliseconds = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7000-8000-000000000000`
}
