import { claimsOfScopes, scopesOfClaim, userClaims } from '@gatehouse/proto/claims'
import type { RequestedClaim } from './claims-request.ts'
import type { SessionGrant } from './session-grant.ts'

/** The profile of a user, as the identity service knows it. */
export type UserProfile = {
  username: string
  /** The user's attributes by the names of their claims (OpenID Connect Core section 5.1). */
  attributes: Readonly<Record<string, unknown>>
  updatedAt: Date
  /** The id of the organization whose connection made the user and that vouches for their address; undefined for none. */
  vouchedBy?: string | undefined
}

/** Gets a user's profile; undefined when the user was deleted or disabled. */
export type FindProfile = (userId: string) => Promise<UserProfile | undefined>

/** The claims that a client gets. */
export type WantedClaims = {
  /** The granted scope, space-separated; empty for requested claims only. */
  scope: string
  /** Claims that were asked for one by one (OpenID Connect Core section 5.5). */
  requested: Readonly<Record<string, RequestedClaim>>
  /** The client's scope of now, space-separated: it gets no claim that only other scopes give. */
  permitted: string
  /** The id of the organization that reads them, as `readerOf` says; undefined for none. */
  readBy: string | undefined
}

/** The claims about its members that an organization sees on its pages. */
const claimsOfMembers: ReadonlySet<string> = new Set([
  'name',
  'preferred_username',
  'email',
  'email_verified',
])

/**
 * The organization that reads what a grant tells about its user: whoever controls its provider can log in as each member and allow an app
 * everything.
 * @param session undefined for a grant that was not given in a session
 * @param organizationId that of the grant; undefined for none
 * @returns its id; undefined when the user had logged in another way
 */
export function readerOf(
  session: Pick<SessionGrant, 'byOrganization'> | undefined,
  organizationId: string | undefined,
): string | undefined {
  return session?.byOrganization ? organizationId : undefined
}

/** Picks claims about a user. An organization that reads them gets all about the users whom its connections made. */
export function pickUserClaims(
  { username, attributes, updatedAt, vouchedBy }: UserProfile,
  { scope, requested, permitted, readBy }: WantedClaims,
): Record<string, unknown> {
  const all: Readonly<Record<string, unknown>> = {
    ...attributes,
    preferred_username: username,
    updated_at: Math.floor(updatedAt.getTime() / 1000),
  }
  const wanted = new Set(scope.split(' ').flatMap((word) => claimsOfScopes[word] ?? []))
  const may = new Set(permitted.split(' '))
  for (const name of Object.keys(requested))
    if (scopesOfClaim(name).some((one) => may.has(one))) wanted.add(name)
  const mayRead = (name: string) => readBy === undefined || readBy === vouchedBy || claimsOfMembers.has(name)
  const picked = userClaims.filter((name) => wanted.has(name) && mayRead(name) && all[name] !== undefined)
  return Object.fromEntries(picked.map((name) => [name, all[name]]))
}
