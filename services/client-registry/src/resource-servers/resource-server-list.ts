import type { ListStore } from '@gatehouse/kit/administered/list-request'
import { Refusal } from '@gatehouse/kit/errors'
import type { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import type { ResourceServer } from './resource-server.ts'

/** Reads resource servers. */
export type ResourceServerStore = ListStore<typeof resourceServers, ResourceServer> & {
  get(resourceId: string): Promise<ResourceServer | undefined>
  /** Names the state of all resource servers together; differs after every change. */
  version(): Promise<string>
  /** All of them, oldest first. */
  all(): Promise<ResourceServer[]>
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
 * @param known the version that the caller knows, if any
 * @returns no servers when that is the current version
 */
export async function lookupResourceServers(
  known: string | undefined,
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
