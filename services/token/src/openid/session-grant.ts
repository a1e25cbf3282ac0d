import type { ClaimsRequest } from './claims-request.ts'

/** A grant that a user gave in a session: what ID tokens and userinfo say about it. */
export type SessionGrant = {
  sessionId: string
  /** As the client sent it; undefined when it sent none. */
  nonce: string | undefined
  /** When the user had logged in. */
  authenticatedAt: Date
  /** How they had logged in (RFC 8176). */
  methods: readonly string[]
  /** The claims that the client asked for one by one. */
  claims: ClaimsRequest | undefined
  /** Whether it outlives the session (OpenID Connect Core section 11). */
  offline: boolean
  /** When the session ends at the latest. */
  sessionEndsAt: Date
}

/** The scope of a client that wants access while the user is away. */
const offlineScope = 'offline_access'

/**
 * The session grant of a user's authorization.
 * @returns undefined when the session is not known
 */
export function sessionGrantOf(
  scope: string,
  openid: { nonce?: string; claims?: ClaimsRequest },
  user: {
    sessionId: string
    authenticatedAt: Date | undefined
    sessionEndsAt: Date | undefined
    methods: readonly string[]
  },
): SessionGrant | undefined {
  const { sessionId, authenticatedAt, sessionEndsAt, methods } = user
  if (sessionId === '' || authenticatedAt === undefined || sessionEndsAt === undefined) return undefined
  return {
    sessionId,
    nonce: openid.nonce,
    authenticatedAt,
    methods,
    claims: openid.claims,
    offline: scope.split(' ').includes(offlineScope),
    sessionEndsAt,
  }
}
