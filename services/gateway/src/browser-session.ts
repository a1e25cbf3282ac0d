import { hash } from 'node:crypto'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService, NewSession, Session, User } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A session of somebody who is logged in. */
export type BrowserSession = Session & { user: User; createdAt: Date; secret: string }

/** The sessions of the browsers that send requests. */
export type BrowserSessions = {
  /** The session that a request belongs to, if there is one that is not over. */
  of(request: FastifyRequest): Promise<BrowserSession | undefined>
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
const secretPattern = /^[\w-]{43}$/

/**
 * The sessions behind signed cookies: a cookie that we did not sign never reaches the identity service.
 * @param identity where the sessions are
 * @param secure whether the cookies are for https only
 */
export function browserSessions(
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getSession'>,
  secure: boolean,
): BrowserSessions {
  const shared = { httpOnly: true, sameSite: 'lax', secure, signed: true } as const

  const unsigned = (request: FastifyRequest, name: string) => {
    const cookie = request.cookies[name]
    return (cookie && request.unsignCookie(cookie).value) || ''
  }
  const secretOf = (request: FastifyRequest) => {
    const secret = unsigned(request, sessionCookie)
    return secretPattern.test(secret) ? secret : ''
  }
  const knownOf = (request: FastifyRequest) =>
    unsigned(request, knownCookie)
      .split('.')
      .filter((mark) => mark !== '')

  return {
    secretOf,
    async of(request) {
      const secret = secretOf(request)
      if (secret === '') return undefined
      const { session } = await identity.getSession({ sessionSecret: secret })
      if (session?.user === undefined || session.createdAt === undefined) return undefined
      return { ...session, user: session.user, createdAt: session.createdAt, secret }
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

// Not the name itself: a shared computer need not tell who uses it. In hex, since one key signs both cookies: no mark
// looks like a session's secret.
function markOf(username: string): string {
  return hash('sha256', `known:${username.toLowerCase()}`, 'hex')
}
