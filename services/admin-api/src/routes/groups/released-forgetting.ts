import { isUnknownCall } from '@gatehouse/kit/errors'
import type { AdminDeps } from '../../deps.ts'

/**
 * Deletes the assignments of roles that a resource server has no longer. An identity service of the last release has none.
 * @param keptRoles the names of the roles that it still has; empty for one that was deleted
 */
export async function forgetRoles(
  resourceId: string,
  keptRoles: string[],
  identity: Pick<AdminDeps['identity'], 'forgetResourceServer'>,
): Promise<void> {
  try {
    await identity.forgetResourceServer({ resourceId, keptRoles })
  } catch (error) {
    if (!isUnknownCall(error)) throw error
  }
}
