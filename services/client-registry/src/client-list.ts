import { Refusal } from '@gatehouse/kit/errors'
import { checkLimit, type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'
import type { ClientRecord } from './client.ts'

/** The client after which a list continues. */
export type ClientPosition = {
  /** Microseconds since the Unix epoch, as digits: a Date has only milliseconds. */
  createdAt: string
  clientId: string
}

/** Reads clients. */
export type ClientListStore = {
  /**
   * Newest first.
   * @param wanted.search a part of a name or of an id, ignoring case; empty for all clients
   */
  list(wanted: {
    search: string
    after: ClientPosition | undefined
    limit: number
  }): Promise<Keyed<ClientRecord>[]>
  get(clientId: string): Promise<ClientRecord | undefined>
  /** The number of clients; an estimate from 100,000 on. */
  total(): Promise<number>
}

/**
 * Lists clients for administrators, newest first.
 * @param request search: a part of a name or of an id, ignoring case; with fewer than three characters, the beginning
 * @throws Refusal invalid_request for an invalid limit or cursor
 */
export async function listClients(
  { search, cursor, limit }: PageRequest & { search: string },
  store: Pick<ClientListStore, 'list' | 'total'>,
): Promise<Page<ClientRecord> & { total: number }> {
  const most = checkLimit(limit)
  const after = positionOf(cursor)
  const [found, total] = await Promise.all([
    store.list({ search: search.trim(), after, limit: most + 1 }),
    store.total(),
  ])
  return { ...pageOf(found, most), total }
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

function positionOf(cursor: string): ClientPosition | undefined {
  const key = readCursor(cursor, 2)
  if (key === undefined) return undefined
  const [createdAt = '', clientId = ''] = key
  if (!/^\d{1,16}$/.test(createdAt)) throw new Refusal('invalid_request', 'cursor is invalid.')
  return { createdAt, clientId }
}
