import { type GrantRecord, newGrant, type UserGrant } from '../../src/tokens/grant-record.ts'

/** A client's own grant. */
export function clientGrant(changes: Partial<GrantRecord> = {}): GrantRecord {
  return { ...newGrant({ clientId: 'client_a' }, 'read', { servers: [] }), ...changes }
}

/** The grant of a user. */
export function userGrant(changes: Partial<UserGrant> = {}): UserGrant {
  return { ...clientGrant(), user: { userId: 'user-1', username: 'ann' }, ...changes }
}
