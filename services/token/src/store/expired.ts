import { deleteExpiredRows } from '@gatehouse/data/expired-rows'
import type { Database } from '@gatehouse/prisma/database'

const tables = {
  revocations: { key: 'kind, id', ends: 'expires_at' },
  authority_changes: { key: 'key', ends: 'expires_at' },
  client_changes: { key: 'client_id', ends: 'expires_at' },
  authorization_flows: { key: 'id', ends: 'expires_at' },
  // A day longer, so that a replay is still recognized.
  authorization_codes: { key: 'code_digest', ends: 'expires_at', kept: '1 day' },
  session_grants: { key: 'grant_id', ends: 'expires_at' },
  // Only where OpenID Connect is off: nobody sends them there.
  backchannel_logouts: { key: 'session_id, client_id', ends: 'created_at', kept: '1 day' },
  refresh_tokens: { key: 'token_digest', ends: 'expires_at' },
  // An hour longer, because the clocks of replicas may differ from that of the database.
  spent_proofs: { key: 'digest', ends: 'expires_at', kept: '1 hour' },
  usage_minutes: { key: 'minute, grant_type, outcome', ends: 'minute', kept: '31 days' },
  active_token_counts: { key: 'minute', ends: 'minute', kept: '31 days' },
  // Much longer than counts wait in memory, unless the database is away for so long.
  forgotten_clients: { key: 'client_id', ends: 'forgotten_at', kept: '1 day' },
  client_usage: { key: 'client_id, day', ends: 'day', kept: '90 days' },
}

/** A table whose rows expire one by one. */
export type ExpiringTable = keyof typeof tables

/** All tables whose rows expire one by one. */
export const expiringTables = Object.keys(tables) as ExpiringTable[]

/**
 * Deletes the expired rows of a table that are no longer needed.
 * @returns how many were deleted
 */
export function deleteExpired(database: Pick<Database, 'pool'>, table: ExpiringTable): Promise<number> {
  return deleteExpiredRows(database, { ...tables[table], name: `token.${table}` })
}
