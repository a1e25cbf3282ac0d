import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { AuditEntry } from '@gatehouse/proto/audit/v1'
import type { AuditLog } from './deps.ts'
import type { ReadPart } from './merge.ts'

/** The conditions for entries to be listed. An entry must match all of them. */
export type AuditFilter = {
  /** The user or client who did it; by default anybody. */
  actorId?: string | undefined
  /** The id of the target; by default any. */
  target?: string | undefined
  /** An action such as `client.update`; by default any. */
  action?: string | undefined
  /** The users and clients of whom each is the actor or the target. */
  concernedIds?: string[]
  /** The address of the actor; by default any. It needs `since`, since no index has it. */
  ipAddress?: string | undefined
  /** The first moment; undefined for no limit. */
  since: Date | undefined
}

/** The most entries that a service gives in one call. */
const mostEntries = 200

/** Reads the audit log of a service. Its entries are ordered by their ids, which follow time. */
export function entriesOf(log: AuditLog, { since, ...filter }: AuditFilter): ReadPart<AuditEntry> {
  return async ({ position, until, limit }) => {
    if (position !== undefined && !isUuid(position))
      throw new Refusal('invalid_request', 'cursor is invalid.')
    const asked = Math.min(limit + 1, mostEntries)
    const { entries } = await log.listAuditEntries({
      ...{ concernedIds: [], ...filter },
      beforeEntryId: earlier(position, until && firstIdOf(until)),
      fromEntryId: since && firstIdOf(since),
      limit: asked,
    })
    return {
      items: entries.map((entry) => ({ item: entry, time: timeOf(entry), position: entry.entryId })),
      // For the largest page, the limit of the services leaves no room to ask for one more entry than the page has.
      more: entries.length === asked,
    }
  }
}

/** The earlier of two ids, of which either may be absent. */
function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

/** The lowest UUIDv7 (RFC 9562 section 5.7) of a moment: entries made from then on have larger ids. */
export function firstIdOf(time: Date): string {
  const milliseconds = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7000-8000-000000000000`
}

/** The time in the id of an entry. Its field `time` may differ by the length of a transaction. */
function timeOf({ entryId }: AuditEntry): number {
  return Number.parseInt(entryId.slice(0, 8) + entryId.slice(9, 13), 16)
}
