import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Page, type PageRequest, readCursor, writeCursor } from '@gatehouse/kit/page'
import type { AuditEntry } from '@gatehouse/proto/audit/v1'
import type { AuditLog } from './deps.ts'

/** The filters of a request for entries. An entry must match all of them. */
export type AuditRequest = PageRequest & {
  /** The user or client who did it; empty for anybody. */
  actorId: string
  /** The id of the target; empty for any. */
  target: string
  /** An action such as `client.update`; empty for any. */
  action?: string
  /** The first moment (inclusive), and the end (exclusive); undefined for no limit. */
  since?: Date | undefined
  until?: Date | undefined
}

/** The most entries that a service gives in one call. */
const mostEntries = 200

/**
 * Merges the audit logs of all services, newest first. Entries are ordered by their ids, which follow time. If one log
 * cannot be read, the whole request fails: an unnoticed gap in the log would be worse.
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
  // For the largest page, the limit of the services leaves no room to ask for one more entry than the page has.
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

/** The lowest UUIDv7 (RFC 9562 section 5.7) of a moment: entries made from then on have larger ids. */
function firstIdOf(time: Date): string {
  const milliseconds = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7000-8000-000000000000`
}
