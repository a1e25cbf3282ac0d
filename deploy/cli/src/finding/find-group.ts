import type { Group } from '@gatehouse/admin-api/generated/openapi'
import { type Api, dataOf } from '../api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { isId } from './find-user.ts'

/** Finds a group by id or name. @throws CommandFailure when there is no such group */
export async function findGroup(api: Api, idOrName: string): Promise<Group> {
  if (isId(idOrName)) return dataOf(api.GET('/admin/api/groups/{group_id}', atGroup(idOrName)))
  // Names that begin with the text come first, in alphabetical order, so the exact name is on the first page.
  const query = { search: idOrName }
  const { items } = await dataOf(api.GET('/admin/api/groups', { params: { query } }))
  const found = items.find(({ name }) => name.toLowerCase() === idOrName.trim().toLowerCase())
  if (found) return found
  throw new CommandFailure('There is no such group.', exitCodes.notFound)
}

/** The parameters of a request about a group. */
export function atGroup(id: string) {
  return { params: { path: { group_id: id } } }
}
