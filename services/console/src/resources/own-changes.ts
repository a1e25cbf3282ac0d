import type { ResourceServer, ResourceServerChange } from '@gatehouse/admin-api/generated/openapi'
import { useRef } from 'react'
import { readOnce } from '../api.ts'
import { atResource, changeResource } from './requests.ts'

/** Changes a resource server, based on a revision that the sender has read. */
export type SendChange = (change: ResourceServerChange) => Promise<ResourceServer>

/**
 * Sends the changes of several forms on one page, none of which takes a change of another for somebody else's.
 * @returns a function that sends a change, which may name the revision that its form was opened with
 */
export function useOwnChanges(resourceId: string): SendChange {
  const followers = useRef(new Map<number, number>())
  const last = useRef<number>(undefined)
  return async ({ revision, ...change }) => {
    let latest = revision
    for (let next = latest; next !== undefined; next = followers.current.get(next)) latest = next
    const based = latest === undefined ? change : { ...change, revision: latest }
    const changed = await changeResource(resourceId, based)
    // A change that names no revision follows the last one here, when nothing was between them.
    const before = latest ?? (changed.revision - 1 === last.current ? last.current : undefined)
    if (before !== undefined && before !== changed.revision) followers.current.set(before, changed.revision)
    last.current = changed.revision
    return changed
  }
}

/** How the rows of a list of a resource server are stored, for a RowsForm. */
export function storedRows<Name extends 'scopes' | 'roles'>(
  name: Name,
  { resource, send }: { resource: ResourceServer; send: SendChange },
) {
  return {
    item: resource,
    read: () => readOnce('/admin/api/resources/{resource_id}', atResource(resource.resource_id).params),
    send: (rows: ResourceServer[Name], revision: number) => send({ [name]: rows, revision }),
  }
}
