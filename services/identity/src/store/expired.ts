import { deleteExpiredRows, deletionOfAuditEntries, type ExpiringTable } from '@gatehouse/data/expired-rows'
import { expiringPendingEvents } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'

/** The tables whose rows expire. */
const tables: ExpiringTable[] = [
  { name: 'sessions', key: 'id', ends: 'expires_at' },
  { name: 'social_logins', key: 'state_digest', ends: 'expires_at' },
  { name: 'connection_logins', key: 'state_digest', ends: 'expires_at' },
  { name: 'mail_links', key: 'link_digest', ends: 'expires_at' },
  { name: 'organization_invitations', key: 'invitation_id', ends: 'expires_at', kept: '30 days' },
  { name: 'login_failures', key: 'kind, key_digest', ends: 'window_ends' },
  { name: 'webauthn_challenges', key: 'challenge_digest', ends: 'expires_at' },
  { name: 'name_reservations', key: 'reservation_id, name', ends: 'expires_at' },
  { name: 'totp_enrolments', key: 'user_id', ends: 'expires_at' },
]

/**
 * Functions that delete expired rows, one for each table. Each resolves to the number of rows it deleted.
 * @param days for how many days mails and audit entries are kept; 0 for the default
 */
export function deletionsOfExpired(
  database: Pick<Database, 'pool'>,
  days: { mails: number; auditLog: number },
): Record<string, () => Promise<number>> {
  const mails = { name: 'mails', key: 'mail_id', ends: 'ended_at', kept: `${days.mails || 30} days` }
  const deletion = (table: ExpiringTable) => () =>
    deleteExpiredRows(database, { ...table, name: `identity.${table.name}` })
  return {
    ...Object.fromEntries([...tables, mails].map((table) => [table.name, deletion(table)])),
    ...deletionOfAuditEntries(database, 'identity', days.auditLog),
    pending_events: () => deleteExpiredRows(database, expiringPendingEvents('identity')),
  }
}
