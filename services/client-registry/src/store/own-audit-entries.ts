import { deleteExpiredRows } from '@gatehouse/data/expired-rows'
import type { Database } from '@gatehouse/prisma/database'

// The index audit_log_own_idx has just these rows.
const entries = {
  ...{ name: 'clients.audit_log', key: 'entry_id', ends: 'at', kept: '90 days' },
  where: `actor_kind = 'client' and actor_id = target`,
}

/**
 * Deletes old audit entries of what clients did to themselves: where registration is open, anybody can register a client, and change and
 * delete it, again and again.
 * @returns how many were deleted
 */
export function deleteOwnAuditEntries(database: Pick<Database, 'pool'>): Promise<number> {
  return deleteExpiredRows(database, entries)
}
