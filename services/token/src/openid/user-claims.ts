import { claimsOfScopes, scopesOfClaim, userClaims } from '@gatehouse/proto/claims'
import type { RequestedClaim } from './claims-request.ts'

/** The profile of a user, as the identity service knows it. */
export type UserProfile = {
  username: string
  /** The user's attributes by the names of their claims (OpenID Connect Core section 5.1). */
  attributes: Readonly<Record<string, unknown>>
  updatedAt: Date
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
}

/** Picks claims about a user. */
export function pickUserClaims(
  { username, attributes, updatedAt }: UserProfile,
  { scope, requested, permitted }: WantedClaims,
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
  const picked = userClaims.filter((name) => wanted.has(name) && all[name] !== undefined)
  return Object.fromEntries(picked.map((name) => [name, all[name]]))
}
