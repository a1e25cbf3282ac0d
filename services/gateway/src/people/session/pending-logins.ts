import { hash } from 'node:crypto'
import { isSecret } from '@gatehouse/kit/formats'
import type { PendingLogin } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The logins that wait for a second factor, in the browsers that send requests. Such a login is no session. */
export type PendingLogins = {
  /** The secret in a request's cookie, even when its login has ended; undefined when there is none. */
  secretOf(request: FastifyRequest): string | undefined
  /** The mark of what the user typed to log in (markOf); undefined when they typed nothing. */
  markOf(request: FastifyRequest): string | undefined
  /** Gives the browser its login. @param mark the mark of the name or the address that the user typed */
  begin(reply: FastifyReply, login: PendingLogin, mark?: string): void
  /** Clears the cookie. */
  end(reply: FastifyReply): void
}

/** One key signs all cookies: no session's secret begins like these, and no mark of a user who is known in a browser. */
const beginnings = { login: 'pending.', typed: 'typed:' }

/**
 * Keeps the logins in signed cookies, and what their users typed in others. They are Lax because a social login comes back from the
 * provider's site.
 * @param secure whether browsers send the cookies over https only; then no other host of the domain can set them (the prefix
 *   __Host-, RFC 6265bis section 4.1.3)
 */
export function createPendingLogins(secure: boolean): PendingLogins {
  const nameOf = (what: keyof typeof beginnings) => `${secure ? '__Host-' : ''}gatehouse_${what}`
  const shared = { httpOnly: true, sameSite: 'lax', secure, signed: true, path: '/' } as const
  const contentOf = (request: FastifyRequest, what: keyof typeof beginnings) => {
    const cookie = request.cookies[nameOf(what)]
    const value = (cookie && request.unsignCookie(cookie).value) ?? ''
    return value.startsWith(beginnings[what]) ? value.slice(beginnings[what].length) : undefined
  }
  const secretOf = (request: FastifyRequest) => {
    const secret = contentOf(request, 'login')
    return secret !== undefined && isSecret(secret) ? secret : undefined
  }
  return {
    secretOf,
    markOf(request) {
      const secret = secretOf(request)
      const [mark, digest] = contentOf(request, 'typed')?.split(':') ?? []
      // Not that of another login, whose user has proven no second factor.
      return secret !== undefined && digest === digestOf(secret) ? mark : undefined
    },
    begin(reply, { secret, expiresAt }, mark) {
      const options = { ...shared, ...(expiresAt && { expires: expiresAt }) }
      reply.setCookie(nameOf('login'), `${beginnings.login}${secret}`, options)
      if (mark !== undefined)
        reply.setCookie(nameOf('typed'), `${beginnings.typed}${mark}:${digestOf(secret)}`, options)
    },
    end(reply) {
      for (const what of ['login', 'typed'] as const) reply.clearCookie(nameOf(what), shared)
    },
  }
}

const digestOf = (secret: string) => hash('sha256', secret, 'base64url')
