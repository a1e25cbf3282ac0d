import type { UserSummary } from '@gatehouse/admin-api/generated/openapi'
import { type Api, dataOf } from '../api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Whether a text is an id and no name. */
export function isId(text: string): boolean {
  return uuid.test(text)
}

/** Finds a user by id or name. @throws CommandFailure when there is no such user */
export async function findUser(api: Api, idOrName: string): Promise<UserSummary> {
  if (isId(idOrName)) return dataOf(api.GET('/admin/api/users/{user_id}', at(idOrName)))
  // Names that begin with the text come first, in alphabetical order, so the exact name is on the first page.
  const query = { search: idOrName }
  const { items } = await dataOf(api.GET('/admin/api/users', { params: { query } }))
  const found = items.find(({ username }) => username.toLowerCase() === idOrName.toLowerCase())
  if (found) return found
  throw new CommandFailure('There is no such user.', exitCodes.notFound)
}

/** Finds the id of a user by id or name. An id may be that of a user who was deleted. @throws CommandFailure for an unknown name */
export async function findUserId(api: Api, idOrName: string): Promise<string> {
  return isId(idOrName) ? idOrName : (await findUser(api, idOrName)).user_id
}

/** The parameters of a request about a user. */
export function at(id: string) {
  return { params: { path: { user_id: id } } }
}
