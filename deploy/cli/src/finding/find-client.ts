import { isGeneratedClientId } from '@gatehouse/proto/client-id-documents'
import { type Api, dataOf } from '../api.ts'
import { CommandFailure } from '../failure.ts'

/** The most that the API gives at once. */
const limit = 200

/**
 * Finds the id of a client by its id or name. A text that no client has is given back, since it may be the id of a deleted client.
 * @throws CommandFailure when several clients have the name
 */
export async function findClientId(api: Api, idOrName: string): Promise<string> {
  if (isGeneratedClientId(idOrName)) return idOrName
  const query = { search: idOrName, limit }
  const { items } = await dataOf(api.GET('/admin/api/clients', { params: { query } }))
  if (items.some(({ client_id: id }) => id === idOrName)) return idOrName
  const named = items.filter(({ client_name: name }) => name.toLowerCase() === idOrName.toLowerCase())
  if (named.length > 1) throw new CommandFailure('Several clients have this name. Give the id of one.')
  return named[0]?.client_id ?? idOrName
}
