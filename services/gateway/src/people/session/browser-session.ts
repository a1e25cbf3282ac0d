import { hash } from 'node:crypto'
import { isSecret } from '@gatehouse/kit/formats'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService, NewSession, Session, User } from '@gatehouse/proto/identity/v1'
import type { ConsentedScope } from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The session of a logged-in user, whatever their login counts for. */
type SomeSession = Omit<Session, 'organizationsOnly'> & {
  user: User
  createdAt: Date
  secret: string
  /** The scope that the user has allowed the given client; undefined when no client was given. */
  consented: ConsentedScope | undefined
}

/** The session of a user who logged in by a way of the instance. */
export type BrowserSession = SomeSession & { organizationsOnly: false }

/**
 * The session of a user all of whose logins came by connections of organizations, and count in one organization each. Whoever controls
 * such a connection can be anybody there. It opens no page by itself: `countingLogin` says where it counts.
 */
export type MemberSession = Omit<SomeSession, LoginField> & { organizationsOnly: true }

/** The fields about a login by a way of the instance. They say nothing in a session without one. */
type LoginField = 'authenticatedAt' | 'methods' | 'connectionId' | 'secondFactorUnproven' | 'secondFactorDue'

/** A session of either kind. */
export type AnySession = BrowserSession | MemberSession

/** The sessions of the browsers that send requests. */
export type BrowserSessions = {
  /**
   * The session that a request belongs to, if there is one, it has not ended, and its user logged in by a way of the instance.
   * @param clientId the client whose consented scope is wanted; undefined for none
   */
  of(request: FastifyRequest, clientId?: string): Promise<BrowserSession | undefined>
  /**
   * As `of`, but gives also a session whose logins count in one organization each. Only for what decides by the login that counts, and for
   * logging out.
   */
  any(request: FastifyRequest, clientId?: string): Promise<AnySession | undefined>
  /** The secret in a request's cookie, even when its session has ended; undefined when there is none. */
  secretOf(request: FastifyRequest): string | undefined
  /** The marks of the users who have logged in with this browser before. */
  knownUsers(request: FastifyRequest): string[]
  /** Whether this user has logged in with this browser before. @param username a name or an address, as it was typed */
  isKnown(request: FastifyRequest, username: string): boolean
  /**
   * Gives the browser its session, and remembers the user as known in this browser, unless their login counts in an organization alone.
   * @param mark the mark of the name or the address that they typed, which is remembered too; undefined when they typed nothing
   */
  begin(request: FastifyRequest, reply: FastifyReply, session: NewSession, mark?: string): void
  /** Gives the browser its session after a login that counts in an organization alone. It makes nobody known in this browser. */
  beginAsMember(reply: FastifyReply, session: NewSession): void
  /** Clears the cookie, and those that are of use in the session only. */
  end(reply: FastifyReply): void
}

/** The cookie with a session's secret. */
export const sessionCookie = 'gatehouse_session'
const knownCookie = 'gatehouse_known'
/** In seconds. */
const year = 365 * 86_400
/** How many users are remembered in one browser. */
const mostKnown = 5

/**
 * Keeps sessions in signed cookies: a cookie with an invalid signature never reaches the identity service.
 * @param identity the service that stores the sessions
 * @param secure whether browsers send the cookies over https only
 * @param bound the cookies that are of use in a session only
 * @param organizations whether logins by connections of organizations count at all
 */
export function createBrowserSessions(
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getSession'>,
  {
    secure,
    bound,
    organizations,
  }: { secure: boolean; bound: readonly { clear(reply: FastifyReply): void }[]; organizations: boolean },
): BrowserSessions {
  const shared = { httpOnly: true, sameSite: 'lax', secure, signed: true } as const

  const unsigned = (request: FastifyRequest, name: string) => {
    const cookie = request.cookies[name]
    return (cookie && request.unsignCookie(cookie).value) ?? ''
  }
  const secretOf = (request: FastifyRequest) => {
    const secret = unsigned(request, sessionCookie)
    return isSecret(secret) ? secret : undefined
  }
  const knownOf = (request: FastifyRequest) =>
    unsigned(request, knownCookie)
      .split('.')
      .filter((mark) => /^[\da-f]{64}$/.test(mark))
  const give = (reply: FastifyReply, { sessionSecret, expiresAt }: NewSession) =>
    reply.setCookie(sessionCookie, sessionSecret, {
      ...shared,
      path: '/',
      ...(expiresAt && { expires: expiresAt }),
    })
  const of: BrowserSessions['of'] = async (request, clientId) => {
    const secret = secretOf(request)
    if (secret === undefined) return undefined
    const { session } = await identity.getSession({ sessionSecret: secret, clientId })
    return browserSession(session, secret, clientId)
  }

  return {
    secretOf,
    of,
    async any(request, clientId) {
      if (!organizations) return of(request, clientId)
      const secret = secretOf(request)
      if (secret === undefined) return undefined
      const { session } = await identity.getSession({ sessionSecret: secret, clientId, anyLogin: true })
      return anySession(session, secret, clientId)
    },
    knownUsers: knownOf,
    isKnown: (request, username) => knownOf(request).includes(markOf(username)),
    beginAsMember: give,
    begin(request, reply, session, mark) {
      give(reply, session)
      if (session.session?.organizationsOnly) return
      const { user } = session
      const marks = [user && markOf(user.username), mark].filter((one) => one !== undefined)
      const known = [...new Set([...marks, ...knownOf(request)])].slice(0, mostKnown)
      reply.setCookie(knownCookie, known.join('.'), { ...shared, path: '/auth', maxAge: year })
    },
    end(reply) {
      reply.clearCookie(sessionCookie, { ...shared, path: '/' })
      for (const other of bound) other.clear(reply)
    },
  }
}

/**
 * Reads a session of the identity service.
 * @param clientId the client whose consented scope was asked for, if one was
 * @returns undefined for a session without a login by a way of the instance, too
 */
export function browserSession(
  session: Session | undefined,
  secret: string,
  clientId: string | undefined,
): BrowserSession | undefined {
  const read = anySession(session, secret, clientId)
  return read?.organizationsOnly ? undefined : read
}

/** As `browserSession`, for a session of either kind. */
export function anySession(
  session: Session | undefined,
  secret: string,
  clientId: string | undefined,
): AnySession | undefined {
  const { user, createdAt, consentedScope: scope, consentedIn: inOrganizations } = session ?? {}
  if (session === undefined || user === undefined || createdAt === undefined) return undefined
  const consented =
    scope === undefined || clientId === undefined ? undefined : { clientId, scope, inOrganizations }
  const read = { ...session, user, createdAt, secret, consented }
  if (!session.organizationsOnly) return { ...read, organizationsOnly: false }
  const { authenticatedAt, methods, connectionId, secondFactorUnproven, secondFactorDue, ...others } = read
  return { ...others, organizationsOnly: true }
}

/**
 * The mark of a name or an address, as it was typed. It is a digest, so that the cookie on a shared computer does not tell who uses it. It
 * is in hex because one key signs both cookies and no mark may look like a session's secret.
 */
export function markOf(username: string): string {
  return hash('sha256', `known:${username.toLowerCase()}`, 'hex')
}
