import type { ProcessContext } from '@gatehouse/kit/process/process'
import { connect } from '@gatehouse/kit/rpc/connect'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { OrganizationServiceService } from '@gatehouse/proto/organization/v1'
import { type Authority, createAuthority, noAuthority } from '../authority/authority.ts'
import type { AuthorityDeps } from '../authority/needs.ts'
import type { TokenConfig } from '../config.ts'
import type { FindProfile } from '../openid/user-claims.ts'
import { findMembership, type Organizations } from '../organizations/organizations.ts'
import { findAuthorityOver } from './authority-client.ts'
import { organizationsOver } from './organization-client.ts'

/**
 * The rule for groups, roles and organizations.
 * @param timeoutMs how long a question to the identity service may wait for its answer
 */
export function openAuthority(
  context: ProcessContext<TokenConfig>,
  {
    identity,
    findProfile,
    knownServers,
    timeoutMs,
  }: {
    identity: Pick<RpcClient<typeof IdentityServiceService>, 'getAuthorities'>
    findProfile: FindProfile
    knownServers: AuthorityDeps['knownServers']
    timeoutMs: number
  },
): Authority {
  const { OAUTH2_ORGANIZATIONS_ENABLED: enabled, OAUTH2_IDENTITY_ADDR: address } = context.config
  if (!enabled) return noAuthority
  const organizations = organizationsOver(
    connect(context, OrganizationServiceService, address, timeoutMs),
    timeoutMs,
  )
  return createAuthority({
    findAuthority: findAuthorityOver(identity, timeoutMs),
    findAttributes: attributesOver(findProfile, organizations),
    ...{ organizations, knownServers },
  })
}

/**
 * Finds the attributes that users have in the instance, or as members of an organization. An organization never says whose an address is:
 * it would be believed beyond it.
 */
export function attributesOver(
  findProfile: FindProfile,
  organizations: Organizations,
): AuthorityDeps['findAttributes'] {
  return async (userId, organizationId) => {
    if (organizationId === undefined) return (await findProfile(userId))?.attributes
    const membership = await findMembership(userId, organizationId, organizations)
    if (membership === undefined) return undefined
    const { email: _, email_verified: __, ...others } = membership.attributes
    return others
  }
}
