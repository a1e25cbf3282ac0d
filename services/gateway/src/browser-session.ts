import { hash } from 'node:crypto'
import { isSecret } from '@gatehouse/kit/formats'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService, NewSession, Session, User } from '@gatehouse/proto/identity/v1'
import type { ConsentedScope } from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A session of somebody who is logged in. */
export type BrowserSession = Session & {
  user: User
  createdAt: Date
  secret: string
  /** What they have allowed the client that was asked about; undefined: none was. */
  consented: ConsentedScope | undefined
}

/** The sessions of the browsers that send requests. */
export type BrowserSessions = {
  /**
   * The session that a request belongs to, if there is one that is not over.
   * @param clientId of whom it is asked what the user has allowed it; empty: of nobody
   */
  of(request: FastifyRequest, clientId?: string): Promise<BrowserSession | undefined>
  /** The secret in a request's cookie, whether or not there is a session for it still; empty where there is none. */
  secretOf(request: FastifyRequest): string
  /** Whether somebody has logged in as this user with this browser before. */
  isKnown(request: FastifyRequest, username: string): boolean
  /** Gives the browser its session, and notes that it is this user's. */
  begin(request: FastifyRequest, reply: FastifyReply, session: NewSession): void
  /** Takes the cookie back. */
  end(reply: FastifyReply): void
}

/** The cookie with a session's secret. */
export const sessionCookie = 'gatehouse_session'
const knownCookie = 'gatehouse_known'
/** In seconds. */
const year = 365 * 86_400
/** How many users one browser is remembered for. */
const mostKnown = 5

/**
 * The sessions behind signed cookies: a cookie that we did not sign never reaches the identity service.
 * @param identity where the sessions are
 * @param secure whether the cookies are for https only
 */
export function createBrowserSessions(
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getSession' | 'getConsent'>,
  secure: boolean,
): BrowserSessions {
  const shared = { httpOnly: true, sameSite: 'lax', secure, signed: true } as const

  const unsigned = (request: FastifyRequest, name: string) => {
    const cookie = request.cookies[name]
    return (cookie && request.unsignCookie(cookie).value) || ''
  }
  const secretOf = (request: FastifyRequest) => {
    const secret = unsigned(request, sessionCookie)
    return isSecret(secret) ? secret : ''
  }
  const knownOf = (request: FastifyRequest) =>
    unsigned(request, knownCookie)
      .split('.')
      .filter((mark) => mark !== '')

  return {
    secretOf,
    async of(request, clientId = '') {
      const secret = secretOf(request)
      if (secret === '') return undefined
      const answer = await identity.getSession({ sessionSecret: secret, clientId })
      const session = browserSession(answer.session, secret, clientId)
      if (session === undefined || clientId === '' || session.consented) return session
      // An identity service of 0.2.0 says it by a call of its own; this goes with the release after this one.
      const { scope } = await identity.getConsent({ userId: session.user.userId, clientId })
      return { ...session, consented: { clientId, scope } }
    },
    isKnown: (request, username) => knownOf(request).includes(markOf(username)),
    begin(request, reply, { sessionSecret, expiresAt, user }) {
      reply.setCookie(sessionCookie, sessionSecret, {
        ...shared,
        path: '/',
        ...(expiresAt && { expires: expiresAt }),
      })
      const mark = markOf(user?.username ?? '')
      const known = [mark, ...knownOf(request).filter((other) => other !== mark)].slice(0, mostKnown)
      reply.setCookie(knownCookie, known.join('.'), { ...shared, path: '/auth', maxAge: year })
    },
    end: (reply) => void reply.clearCookie(sessionCookie, { ...shared, path: '/' }),
  }
}

/**
 * A session as the identity service gives it.
 * @param clientId who was asked about
 */
export function browserSession(
  session: Session | undefined,
  secret: string,
  clientId: string,
): BrowserSession | undefined {
  const { user, createdAt, consentedScope: scope } = session ?? {}
  if (session === undefined || user === undefined || createdAt === undefined) return undefined
  return {
    ...session,
    user,
    createdAt,
    secret,
    consented: scope === undefined ? undefined : { clientId, scope },
  }
}

// Not the name itself: a shared computer need not tell who uses it. In hex, since one key signs both cookies: no mark
// looks like a session's secret.
function markOf(username: string): string {
  return hash('sha256', `known:${username.toLowerCase()}`, 'hex')
}
