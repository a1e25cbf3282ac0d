import { userAttributeEntries } from './people/user-attributes.ts'

const attributesOf = (scope: string) =>
  userAttributeEntries.flatMap(([name, attribute]) => (attribute.scope === scope ? [name] : []))

/** The claims that a scope gives at the userinfo endpoint (OpenID Connect Core section 5.4). */
export const claimsOfScopes: Readonly<Record<string, readonly string[]>> = {
  profile: [...attributesOf('profile'), 'preferred_username', 'updated_at'],
  email: attributesOf('email'),
}

/** All claims about a user that clients can get. */
export const userClaims: readonly string[] = Object.values(claimsOfScopes).flat()

/**
 * The scopes that give a claim; none for a claim that is not about the user.
 * @param claimScopes those that give claims about groups, roles and organizations
 */
export function scopesOfClaim(claim: string, claimScopes: readonly AuthorityScope[] = []): string[] {
  const scopes = Object.keys(claimsOfScopes).filter((scope) => claimsOfScopes[scope]?.includes(claim))
  const names: Readonly<Record<AuthorityScope, readonly string[]>> = claimsOfAuthorityScopes
  return [...scopes, ...claimScopes.filter((scope) => names[scope].includes(claim))]
}

/** The authentication contexts that there are (the claim acr, OpenID Connect Core section 2). */
export const oneFactor = 'urn:gatehouse:acr:one-factor'
export const twoFactors = 'urn:gatehouse:acr:two-factors'

/** Whether a user with these methods (RFC 8176) proved two factors. */
export function provedTwoFactors(methods: readonly string[]): boolean {
  return methods.includes('mfa')
}

/** The claims that the scopes of groups, roles and organizations give, each unless a resource server has defined the scope. */
export const claimsOfAuthorityScopes = {
  groups: ['groups'],
  roles: ['roles'],
  organization: ['org_name', 'org_slug'],
} as const

/** The name of one of these scopes. */
export type AuthorityScope = keyof typeof claimsOfAuthorityScopes

/** These scopes. */
export const authorityScopes = Object.keys(claimsOfAuthorityScopes) as AuthorityScope[]

/** The claims about groups, roles and organizations. Every token of an organization has `org_id`. */
export const authorityClaims: readonly string[] = ['org_id', ...Object.values(claimsOfAuthorityScopes).flat()]
