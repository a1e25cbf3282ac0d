import { Refusal } from '@gatehouse/kit/errors'
import { checkLimit, checkSort, type Page, type PageRequest } from '@gatehouse/kit/page'
import { clientSorts } from '@gatehouse/proto/lists'
import type { ClientRecord } from './client.ts'

/** Which clients a list has: those to which all of this applies. */
export type ClientFilter = {
  disabled?: boolean | undefined
  firstParty?: boolean | undefined
  /** A grant that the client may use; empty: any. */
  grantType: string
}

/** Which page of the clients is wanted. */
export type WantedClients = PageRequest & {
  /** A part of a name or of an id, whatever the case, of fewer than three characters the beginning; empty: all. */
  search: string
  sort: (typeof clientSorts)[number]
  filter: ClientFilter
}

/** Reads clients. */
export type ClientListStore = {
  /** @throws Refusal invalid_request for an invalid cursor */
  list(wanted: WantedClients): Promise<Page<ClientRecord>>
  get(clientId: string): Promise<ClientRecord | undefined>
  /** The number of clients; an estimate from 100,000 on. */
  total(): Promise<number>
}

/**
 * Clients for administrators.
 * @param request sort: one of `clientSorts`; empty: the newest first
 * @throws Refusal invalid_request for an invalid limit, cursor or sort
 */
export async function listClients(
  { search, sort, cursor, limit, ...filter }: PageRequest & { search: string; sort: string } & ClientFilter,
  store: Pick<ClientListStore, 'list' | 'total'>,
): Promise<Page<ClientRecord> & { total: number }> {
  const wanted = {
    search: search.trim(),
    sort: checkSort(sort, clientSorts),
    filter,
    cursor,
    limit: checkLimit(limit),
  }
  const [page, total] = await Promise.all([store.list(wanted), store.total()])
  return { ...page, total }
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
