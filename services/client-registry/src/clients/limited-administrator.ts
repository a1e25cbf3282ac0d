import { type Actor, refuseLimited } from '@gatehouse/kit/actor'
import { hasAdminScope } from '@gatehouse/proto/administration'
import { type ClientListStore, getClient } from './client-list.ts'

/**
 * Lets an administrator of only a part neither give a client a scope of the administration, nor act on a client that has one.
 * @param scopes the scopes of the client before and after the change
 * @throws Refusal access_denied
 */
export function refuseAdminScope(actor: Pick<Actor, 'limited'>, ...scopes: string[]): void {
  if (scopes.some(hasAdminScope)) refuseLimited(actor, 'the client has a scope of the administration')
}

/**
 * Lets an administrator of only a part act on clients without a scope of the administration.
 * @throws Refusal access_denied; not_found for an unknown client
 */
export async function checkReach(
  clientId: string,
  actor: Actor,
  clients: Pick<ClientListStore, 'get'>,
): Promise<void> {
  if (actor.limited) refuseAdminScope(actor, (await getClient(clientId, clients)).scope)
}
