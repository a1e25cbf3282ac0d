import type { ImportedClient } from '@gatehouse/admin-api/generated/openapi'
import type { Prepared } from './prepared.ts'

/** A client in our own format: as the API takes them, which also checks them. */
export function ownClient(value: unknown): Prepared<ImportedClient> {
  const { client_id: id } = Object(value)
  return { name: typeof id === 'string' ? id : '', item: value as ImportedClient, note: '' }
}
