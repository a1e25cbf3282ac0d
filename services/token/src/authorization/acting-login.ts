import { provedTwoFactors } from '@gatehouse/proto/claims'
import { type CountingLogin, countingLogin, type SessionLogins } from '@gatehouse/proto/logins'
import type { ActingLogin } from '../openid/session-grant.ts'
import type { OrganizationOfRequest } from '../organizations/organization-of-request.ts'

/**
 * The login by which a user acts in the organization of a request, or in none.
 * @param twoFactors whether two factors are demanded: then a login that has them goes before a later one that has not
 * @returns undefined when none of their logins counts there
 */
export function actingLogin(
  logins: SessionLogins,
  organization: OrganizationOfRequest,
  twoFactors: boolean,
): ActingLogin | undefined {
  const login =
    (twoFactors && counting(withTwoFactors(logins), organization)) || counting(logins, organization)
  return login && { ...login, byOrganization: login !== logins.own }
}

function withTwoFactors({ own, ofOrganizations }: SessionLogins): SessionLogins {
  const hasTwo = ({ methods }: CountingLogin) => provedTwoFactors(methods)
  return { own: own && hasTwo(own) ? own : undefined, ofOrganizations: ofOrganizations.filter(hasTwo) }
}

function counting(logins: SessionLogins, organization: OrganizationOfRequest): CountingLogin | undefined {
  if (organization.state === 'no_login') return undefined
  if (organization.state === 'in') return countingLogin(logins, organization.membership)
  // Before they choose, the newest stands for all: once they have chosen, the login that counts there is judged.
  if (organization.state === 'choose') return logins.own ?? newest(logins.ofOrganizations)
  return countingLogin(logins, undefined)
}

function newest(logins: readonly CountingLogin[]): CountingLogin | undefined {
  const time = ({ authenticatedAt }: CountingLogin) => authenticatedAt?.getTime() ?? 0
  return logins.toSorted((one, other) => time(other) - time(one))[0]
}

/**
 * The organizations in which alone the logins of a user count.
 * @returns their ids; undefined when the user has a login by a way of the instance
 */
export function organizationsOfLogins({ own, ofOrganizations }: SessionLogins): string[] | undefined {
  return own === undefined ? ofOrganizations.map(({ organizationId }) => organizationId) : undefined
}
