import { deleteExpiredRows } from '@gatehouse/data/expired-rows'
import type { Database } from '@gatehouse/prisma/database'

/** What is deleted when it is over and nobody can need it any more. */
const tables = {
  revocations: { key: 'kind, id', ends: 'expires_at' },
  client_changes: { key: 'client_id', ends: 'expires_at' },
  authorization_flows: { key: 'id', ends: 'expires_at' },
  // A day more, so that a replay is known for one.
  authorization_codes: { key: 'code_digest', ends: 'expires_at', kept: '1 day' },
  refresh_tokens: { key: 'token_digest', ends: 'expires_at' },
  usage_minutes: { key: 'minute, grant_type, outcome', ends: 'minute', kept: '31 days' },
  active_token_counts: { key: 'minute', ends: 'minute', kept: '31 days' },
  client_usage: { key: 'client_id, day', ends: 'day', kept: '90 days' },
}

/** One of the tables whose rows end one by one. */
export type ExpiringTable = keyof typeof tables

/** All of them. */
export const expiringTables = Object.keys(tables) as ExpiringTable[]

/**
 * Deletes the rows of a table that nobody can need any more.
 * @returns how many were deleted
 */
export function deleteExpired(database: Pick<Database, 'pool'>, table: ExpiringTable): Promise<number> {
  return deleteExpiredRows(database, { ...tables[table], name: `token.${table}` })
}
