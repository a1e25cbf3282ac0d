import type { EndedUpstream } from './ended-upstream.ts'

/** A login by a connection, as a session keeps it. */
export type ConnectionLogin = {
  connectionId: string
  /** The revision of the connection by which it was judged. */
  revision: bigint
  /** The organization for which alone it counts; undefined for a connection of the instance. */
  organizationId: string | undefined
  /** The issuer and the subject that identify the person at the provider. */
  issuer: string
  subject: string
  /** The provider's `sid` (OpenID Connect Back-Channel Logout 1.0 section 2.1); undefined if it sent none. */
  upstreamSession: string | undefined
  /** How they logged in (RFC 8176), as far as the provider is trusted to say. */
  methods: readonly string[]
  /** When, by the provider's clock; undefined if it did not say, so that it is now. */
  authenticatedAt: Date | undefined
}

/**
 * The logins by a connection that end: all, those of a user, or those of which its provider says so. With a user and a person, those that
 * the user had as that person: all that the user granted after a login by the connection ends, since a grant does not say as whom.
 */
export type EndingConnectionLogins = {
  connectionId: string
  userId?: string | undefined
  upstream?: EndedUpstream | undefined
}
