import { Refusal } from '@gatehouse/kit/errors'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type {
  Membership as MembershipMessage,
  OrganizationServiceService,
} from '@gatehouse/proto/organization/v1'
import {
  canName,
  type Membership,
  type MembershipQuestion,
  type Organization,
  type Organizations,
} from '../organizations/organizations.ts'
import { sharedQuestions } from './shared-questions.ts'

/**
 * Finds organizations and memberships by calling the identity service.
 * @param timeoutMs how long a question may wait for its answer
 */
export function organizationsOver(
  rpc: Pick<RpcClient<typeof OrganizationServiceService>, 'findMemberships' | 'getOrganization'>,
  timeoutMs: number,
): Organizations {
  return {
    findMemberships: coalesce<MembershipQuestion, readonly Membership[]>({
      ...sharedQuestions,
      timeoutMs,
      run: async (asked, deadline) => {
        const { answers } = await rpc.findMemberships({ questions: [...asked] }, { deadline })
        return asked.map((_, index) => answers[index]?.memberships.map(toMembership) ?? [])
      },
    }),

    async find(named) {
      if (!canName(named)) return undefined
      const { organization } = await rpc.getOrganization({ organization: named }).catch(noneIfUnknown)
      if (organization === undefined || organization.disabledAt) return undefined
      return toOrganization(organization)
    },
  }
}

function toMembership(message: MembershipMessage): Membership {
  const { ssoRequired = false, attributes = {} } = message
  return { ...toOrganization(message), ssoRequired, attributes }
}

function toOrganization({
  organizationId,
  slug,
  name,
  logoUri,
  color,
  secondFactorRequired,
}: Omit<MembershipMessage, 'role' | 'attributes' | 'ssoRequired'>): Organization {
  return { organizationId, slug, name, logoUri, color, secondFactorRequired }
}

function noneIfUnknown(error: unknown): { organization: undefined } {
  if (error instanceof Refusal && error.code === 'not_found') return { organization: undefined }
  throw error
}
