import { hash } from 'node:crypto'
import { isSecret } from '@gatehouse/kit/formats'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService, NewSession, Session, User } from '@gatehouse/proto/identity/v1'
import type { ConsentedScope } from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The session of a logged-in user. */
export type BrowserSession = Session & {
  user: User
  createdAt: Date
  secret: string
  /** The scope that the user has allowed the given client; undefined when no client was given. */
  consented: ConsentedScope | undefined
}

/** The sessions of the browsers that send requests. */
export type BrowserSessions = {
  /**
   * The session that a request belongs to, if there is one and it has not ended.
   * @param clientId the client whose consented scope is wanted; undefined for none
   */
  of(request: FastifyRequest, clientId?: string): Promise<BrowserSession | undefined>
  /** The secret in a request's cookie, even when its session has ended; undefined when there is none. */
  secretOf(request: FastifyRequest): string | undefined
  /** The marks of the users who have logged in with this browser before. */
  knownUsers(request: FastifyRequest): string[]
  /** Whether this user has logged in with this browser before. @param username a name or an address, as it was typed */
  isKnown(request: FastifyRequest, username: string): boolean
  /**
   * Gives the browser its session, and remembers the user as known in this browser.
   * @param mark the mark of the name or the address that they typed, which is remembered too; undefined when they typed nothing
   */
  begin(request: FastifyRequest, reply: FastifyReply, session: NewSession, mark?: string): void
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
 */
export function createBrowserSessions(
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getSession'>,
  secure: boolean,
  bound: readonly { clear(reply: FastifyReply): void }[],
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

  return {
    secretOf,
    async of(request, clientId) {
      const secret = secretOf(request)
      if (secret === undefined) return undefined
      const { session } = await identity.getSession({ sessionSecret: secret, clientId })
      return browserSession(session, secret, clientId)
    },
    knownUsers: knownOf,
    isKnown: (request, username) => knownOf(request).includes(markOf(username)),
    begin(request, reply, { sessionSecret, expiresAt, user }, mark) {
      reply.setCookie(sessionCookie, sessionSecret, {
        ...shared,
        path: '/',
        ...(expiresAt && { expires: expiresAt }),
      })
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
 */
export function browserSession(
  session: Session | undefined,
  secret: string,
  clientId: string | undefined,
): BrowserSession | undefined {
  const { user, createdAt, consentedScope: scope, consentedIn: inOrganizations } = session ?? {}
  if (session === undefined || user === undefined || createdAt === undefined) return undefined
  return {
    ...session,
    user,
    createdAt,
    secret,
    consented:
      scope === undefined || clientId === undefined ? undefined : { clientId, scope, inOrganizations },
  }
}

/**
 * The mark of a name or an address, as it was typed. It is a digest, so that the cookie on a shared computer does not tell who uses it. It
 * is in hex because one key signs both cookies and no mark may look like a session's secret.
 */
export function markOf(username: string): string {
  return hash('sha256', `known:${username.toLowerCase()}`, 'hex')
}
