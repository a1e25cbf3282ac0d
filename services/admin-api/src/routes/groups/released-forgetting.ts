import { isUnknownCall } from '@gatehouse/kit/errors'
import type { AdminDeps } from '../../deps.ts'

/** Deletes the assignments of a resource server's roles. An identity service of the last release has none. */
export async function forgetRoles(
  resourceId: string,
  identity: Pick<AdminDeps['identity'], 'forgetResourceServer'>,
): Promise<void> {
  try {
    await identity.forgetResourceServer({ resourceId })
  } catch (error) {
    if (!isUnknownCall(error)) throw error
  }
}
