import type { ListStore } from '@gatehouse/kit/administered/list-request'
import { Refusal } from '@gatehouse/kit/errors'
import type { clients } from '@gatehouse/proto/administered/clients'
import type { ClientRecord } from './client.ts'

/** Reads clients. */
export type ClientListStore = ListStore<typeof clients, ClientRecord> & {
  get(clientId: string): Promise<ClientRecord | undefined>
}

/**
 * Finds a client for administrators.
 * @throws Refusal not_found
 */
export async function getClient(
  clientId: string,
  store: Pick<ClientListStore, 'get'>,
): Promise<ClientRecord> {
  const client = await store.get(clientId)
  if (client === undefined) throw unknownClient()
  return client
}

/** The refusal for an id that no client has. */
export function unknownClient(): Refusal {
  return new Refusal('not_found', 'There is no such client.')
}
