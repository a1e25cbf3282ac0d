import { refuseLimited } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { adminRoleOf, hasAdminScope } from '@gatehouse/proto/administration'
import type { FastifyRequest } from 'fastify'
import { administratorOf } from './administrator.ts'
import type { AdminDeps } from './deps.ts'

/**
 * Lets an administrator of only a part end the tokens neither of administrators nor of clients with a scope of the administration. The
 * token service knows neither.
 * @param owner the client or the user whose tokens end, or both
 * @param existence whether they must exist; those of somebody who was deleted may remain in a list
 * @throws Refusal access_denied; not_found
 */
export async function checkTokenReach(
  request: FastifyRequest,
  { clientId, userId }: { clientId?: string | undefined; userId?: string | undefined },
  { identity, clientRegistry }: Pick<AdminDeps, 'identity' | 'clientRegistry'>,
  existence: 'must exist' | 'may be deleted',
): Promise<void> {
  const { actor } = administratorOf(request)
  if (!actor.limited && existence === 'may be deleted') return
  const find = existence === 'must exist' ? <Record>(how: () => Promise<Record>) => how() : known
  const [user, client] = await Promise.all([
    userId ? find(async () => (await identity.getUser({ userId })).user) : undefined,
    clientId ? find(async () => (await clientRegistry.getClient({ clientId })).client) : undefined,
  ])
  if (user && adminRoleOf(user)) refuseLimited(actor, 'the user is an administrator')
  if (client && hasAdminScope(client.scope))
    refuseLimited(actor, 'the client has a scope of the administration')
}

/** Finds a user or a client. @returns undefined for one who was deleted, though tokens may remain in a list */
export async function known<Record>(find: () => Promise<Record>): Promise<Record | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  }
}
