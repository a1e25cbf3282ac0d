import { Refusal } from '@gatehouse/kit/errors'
import { checkLimit, checkSort, type Page, type PageRequest } from '@gatehouse/kit/page'
import { resourceServerSorts } from '@gatehouse/proto/lists'
import type { ResourceServer } from './resource-server.ts'

/** Which resource servers a list has: those to which all of this applies. */
export type ResourceServerFilter = {
  disabled?: boolean | undefined
  /** Empty for any. */
  identifier: string
}

/** Which page of the resource servers is wanted. */
export type WantedResourceServers = PageRequest & {
  /** A part of a name or of an identifier, whatever the case, of fewer than three characters the beginning; empty: all. */
  search: string
  sort: (typeof resourceServerSorts)[number]
  filter: ResourceServerFilter
}

/** Reads resource servers. */
export type ResourceServerStore = {
  /** @throws Refusal invalid_request for an invalid cursor */
  list(wanted: WantedResourceServers): Promise<Page<ResourceServer>>
  get(resourceId: string): Promise<ResourceServer | undefined>
  total(): Promise<number>
  /** Names the state of all resource servers together; differs after every change. */
  version(): Promise<string>
  /** All of them, oldest first. */
  all(): Promise<ResourceServer[]>
}

/**
 * Resource servers for administrators.
 * @param request sort: one of `resourceServerSorts`; empty: the newest first
 * @throws Refusal invalid_request for an invalid limit, cursor or sort
 */
export async function listResourceServers(
  {
    search,
    sort,
    cursor,
    limit,
    ...filter
  }: PageRequest & { search: string; sort: string } & ResourceServerFilter,
  store: Pick<ResourceServerStore, 'list' | 'total'>,
): Promise<Page<ResourceServer> & { total: number }> {
  const wanted = {
    search: search.trim(),
    sort: checkSort(sort, resourceServerSorts),
    filter,
    cursor,
    limit: checkLimit(limit),
  }
  const [page, total] = await Promise.all([store.list(wanted), store.total()])
  return { ...page, total }
}

/**
 * Finds a resource server for administrators.
 * @throws Refusal not_found
 */
export async function getResourceServer(
  resourceId: string,
  store: Pick<ResourceServerStore, 'get'>,
): Promise<ResourceServer> {
  const found = await store.get(resourceId)
  if (found === undefined) throw unknownResourceServer()
  return found
}

/**
 * Gives all resource servers when they have changed.
 * @param known the version that the caller knows; empty for none
 * @returns no servers when that is the current version
 */
export async function lookupResourceServers(
  known: string,
  store: Pick<ResourceServerStore, 'version' | 'all'>,
): Promise<{ version: string; resourceServers: ResourceServer[] }> {
  // The version is read first: servers that are newer than it are read once more, but none is ever missed.
  const version = await store.version()
  return { version, resourceServers: version === known ? [] : await store.all() }
}

/** The refusal for an id that no resource server has. */
export function unknownResourceServer(): Refusal {
  return new Refusal('not_found', 'There is no such resource server.')
}
