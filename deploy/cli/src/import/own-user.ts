import type { ImportedUser } from '@gatehouse/admin-api/generated/openapi'
import type { Prepared } from './prepared.ts'

/** A user in our own format: as the API takes them, which also checks them. */
export function ownUser(value: unknown): Prepared<ImportedUser> {
  const { username } = Object(value)
  return { name: typeof username === 'string' ? username : '', item: value as ImportedUser, note: '' }
}
