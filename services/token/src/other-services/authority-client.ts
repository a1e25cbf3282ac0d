import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { Authority, IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { AuthorityQuestion, UserAuthority } from '../authority/needs.ts'
import { sharedQuestions } from './shared-questions.ts'

/**
 * Finds users' roles and groups by calling the identity service.
 * @param timeoutMs how long a question may wait for its answer
 */
export function findAuthorityOver(
  rpc: Pick<RpcClient<typeof IdentityServiceService>, 'getAuthorities'>,
  timeoutMs: number,
): (question: AuthorityQuestion) => Promise<UserAuthority | undefined> {
  return coalesce<AuthorityQuestion, UserAuthority | undefined>({
    ...sharedQuestions,
    timeoutMs,
    run: async (asked, deadline) => {
      const questions = asked.map((one) => ({ ...one, resourceIds: [...one.resourceIds] }))
      const { authorities } = await rpc.getAuthorities({ questions }, { deadline })
      return asked.map((_, index) => toAuthority(authorities[index]))
    },
  })
}

function toAuthority(message: Authority | undefined): UserAuthority | undefined {
  if (!message?.active) return undefined
  const { revision, groups, roles } = message
  return { revision, groups, roles: new Map(roles.map((one) => [one.resourceId, one.roles])) }
}
