import type { CountingLogin } from '@gatehouse/proto/logins'
import type { ClaimsRequest } from './claims-request.ts'

/** The login of a session that counts for a request. */
export type ActingLogin = CountingLogin & {
  /** Whether it came by a connection of the organization in which the request acts, so that it counts there alone. */
  byOrganization: boolean
}

/** A grant that a user gave in a session: what ID tokens and userinfo say about it, and by what it ends and is judged again. */
export type SessionGrant = {
  sessionId: string
  /** As the client sent it; undefined when it sent none. */
  nonce: string | undefined
  /** When the user had logged in. */
  authenticatedAt: Date
  /** How they had logged in (RFC 8176). */
  methods: readonly string[]
  /** The connection by which they had logged in; undefined for any other way. */
  connectionId: string | undefined
  /** Whether that connection belongs to the organization of the grant. */
  byOrganization: boolean
  /** The claims that the client asked for one by one. */
  claims: ClaimsRequest | undefined
  /** Whether it outlives the session (OpenID Connect Core section 11). Without OpenID Connect each does. */
  offline: boolean
  /** When the session ends at the latest. */
  sessionEndsAt: Date
}

/** The scope of a client that wants access while the user is away. */
const offlineScope = 'offline_access'

/** The part of an OpenID Connect request that its session grant keeps; undefined where OpenID Connect is off. */
type OpenidPart = { nonce?: string; claims?: ClaimsRequest } | undefined

/**
 * Whether a grant has a session grant. Where OpenID Connect is off, it is needed for a login by a connection, whose end reaches the grant by
 * it, and in organizations, which judge again how their members had logged in.
 * @param of.organizationId that of the grant; undefined for none
 */
export function keepsSession({
  openid,
  organizationId,
  login,
}: {
  openid: OpenidPart
  organizationId: string | undefined
  login: ActingLogin
}): boolean {
  return openid !== undefined || organizationId !== undefined || login.connectionId !== undefined
}

/**
 * The session grant of a user's authorization.
 * @param login the login that counted for it
 * @returns undefined when the session is not known
 */
export function sessionGrantOf(
  scope: string,
  openid: OpenidPart,
  { sessionId, sessionEndsAt }: { sessionId: string; sessionEndsAt: Date | undefined },
  { authenticatedAt, methods, connectionId, byOrganization }: ActingLogin,
): SessionGrant | undefined {
  if (sessionId === '' || authenticatedAt === undefined || sessionEndsAt === undefined) return undefined
  return {
    sessionId,
    nonce: openid?.nonce,
    authenticatedAt,
    methods,
    connectionId,
    byOrganization,
    claims: openid?.claims,
    offline: openid === undefined || scope.split(' ').includes(offlineScope),
    sessionEndsAt,
  }
}
