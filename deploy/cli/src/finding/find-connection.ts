import type { Connection } from '@gatehouse/admin-api/generated/openapi'
import { isConnectionId } from '@gatehouse/proto/connections'
import { type Api, allPages, dataOf } from '../api.ts'
import { CommandFailure, exitCodes } from '../failure.ts'

/**
 * Finds a connection by its id or its name.
 * @throws CommandFailure when there is no such connection, and for a name that several have
 */
export async function findConnection(api: Api, idOrName: string): Promise<Connection> {
  if (isConnectionId(idOrName.toLowerCase()))
    return dataOf(api.GET('/admin/api/connections/{connection_id}', atConnection(idOrName)))
  const found = await connectionOfName(api, idOrName)
  if (found) return found
  throw new CommandFailure('There is no such connection.', exitCodes.notFound)
}

/**
 * Finds the connection with a name, if there is one.
 * @param organization the id of its organization, or `none`; undefined for any
 * @throws CommandFailure for a name that several have
 */
export async function connectionOfName(
  api: Api,
  name: string,
  organization?: string,
): Promise<Connection | undefined> {
  const all = await allPages(async (cursor): Promise<{ items: Connection[]; next_cursor?: string }> => {
    const query = {
      search: name,
      limit: 200,
      ...(organization && { organization }),
      ...(cursor && { cursor }),
    }
    return dataOf(api.GET('/admin/api/connections', { params: { query } }))
  })
  const [one, other] = all.filter((connection) => connection.name === name)
  if (other === undefined) return one
  throw new CommandFailure(`Several connections have the name ${name}. Name one by its id.`, exitCodes.usage)
}

/** The parameters of a request about a connection. */
export function atConnection(id: string) {
  return { params: { path: { connection_id: id } } }
}
