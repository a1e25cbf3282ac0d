import { storable } from '@gatehouse/kit/storable'
import { ProviderFailure, type SocialPerson } from '../providers/social-provider.ts'
import type { LoginConnection } from './login-connection.ts'
import type { Claims } from './mapping.ts'
import type { PendingConnectionLogin } from './pending-connection-login.ts'

/** A person whom the provider of a connection authenticated. */
export type UpstreamPerson = {
  issuer: string
  subject: string
  /** Suggests a user name. */
  name: string
  displayName: string
  claims: Claims
  upstreamSession: string | undefined
  /** How they logged in (RFC 8176), as far as the provider is trusted to say. */
  methods: readonly string[]
  /** undefined if it did not say. */
  authenticatedAt: Date | undefined
}

/** In UTF-16 code units. */
const longestSubject = 255
const longestDisplayName = 200
const longestSession = 500

/** How many methods are kept, and what they look like. */
const mostMethods = 20
const method = /^[\w.:-]{1,60}$/

/**
 * How far the clock of a provider may be off, in seconds. A login that had to be new has less, or one from before the request would pass
 * for it.
 */
const skew = 60
const skewOfNew = 5

/**
 * Checks what a provider says of a person: the subject, the tenant, when and how they logged in.
 * @param now milliseconds since the Unix epoch
 * @throws ProviderFailure
 */
export function checkPerson(
  { subject, name, displayName, claims, login }: SocialPerson,
  connection: LoginConnection,
  pending: Pick<PendingConnectionLogin, 'maxAge'> & { begunAt: Date },
  now: number,
): UpstreamPerson {
  // Refused, not shortened: a shortened one could be another person's.
  for (const [what, text] of [
    ['subject', subject],
    ['issuer', login.issuer],
  ] as const)
    if (text === '' || text.length > longestSubject * 2 || storable(text) !== text)
      throw new ProviderFailure('bad answer', `the ${what} is empty, too long or not valid text`)
  if (subject.length > longestSubject) throw new ProviderFailure('bad answer', 'the subject is too long')
  checkTenant(claims, connection)
  const at = login.authenticatedAt
  const { maxAge, begunAt } = pending
  // Compared with when it began: people may take a while at the provider after they logged in.
  const asked = maxAge === undefined ? undefined : begunAt.getTime() - maxAge * 1000
  const earliest =
    asked === undefined ? undefined : Math.floor(asked / 1000) - (maxAge === 0 ? skewOfNew : skew)
  if (earliest !== undefined && (at === undefined || at < earliest))
    throw new ProviderFailure('bad answer', 'its auth_time is missing, or longer ago than was asked for')
  const { acrValues } = connection
  if (acrValues !== undefined && !acrValues.split(' ').includes(login.acr ?? ''))
    throw new ProviderFailure('bad answer', 'its acr is none of those that were asked for')
  const { session } = login
  return {
    ...{ issuer: login.issuer, subject, name, claims },
    displayName: storable(displayName.slice(0, longestDisplayName)),
    upstreamSession:
      session !== undefined && session.length <= longestSession ? storable(session) : undefined,
    methods: connection.trustsSecondFactor
      ? [...new Set(login.methods.filter((one) => method.test(one)))].slice(0, mostMethods)
      : [],
    // No earlier than was asked for: by a clock that is behind, and in whole seconds, a login would look as if it were from before the
    // request that demands it, and be demanded again and again.
    authenticatedAt: at === undefined ? undefined : new Date(Math.min(Math.max(at * 1000, asked ?? 0), now)),
  }
}

function checkTenant(claims: Claims, { kind, tenants }: LoginConnection): void {
  if (kind !== 'microsoft' || tenants.length === 0) return
  if (typeof claims.tid !== 'string' || !tenants.includes(claims.tid.toLowerCase()))
    throw new ProviderFailure('denied', 'a tenant that is not allowed')
}
