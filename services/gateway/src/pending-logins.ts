import { isSecret } from '@gatehouse/kit/formats'
import type { PendingLogin } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The logins that wait for a second factor, in the browsers that send requests. Such a login is no session. */
export type PendingLogins = {
  /** The secret in a request's cookie, even when its login has ended; empty when there is none. */
  secretOf(request: FastifyRequest): string
  /** Gives the browser its login. */
  begin(reply: FastifyReply, login: PendingLogin): void
  /** Clears the cookie. */
  end(reply: FastifyReply): void
}

/** One key signs this cookie and the session's: no session's secret begins like this. */
const beginning = 'pending.'

/**
 * Keeps the logins in signed cookies. They are Lax because a social login comes back from the provider's site.
 * @param secure whether browsers send the cookies over https only; then no other host of the domain can set them (the prefix
 *   __Host-, RFC 6265bis section 4.1.3)
 */
export function createPendingLogins(secure: boolean): PendingLogins {
  const name = `${secure ? '__Host-' : ''}gatehouse_login`
  const shared = { httpOnly: true, sameSite: 'lax', secure, signed: true, path: '/' } as const
  return {
    secretOf(request) {
      const cookie = request.cookies[name]
      const value = (cookie && request.unsignCookie(cookie).value) || ''
      const secret = value.startsWith(beginning) ? value.slice(beginning.length) : ''
      return isSecret(secret) ? secret : ''
    },
    begin(reply, { secret, expiresAt }) {
      const expires = expiresAt && { expires: expiresAt }
      reply.setCookie(name, `${beginning}${secret}`, { ...shared, ...expires })
    },
    end: (reply) => void reply.clearCookie(name, shared),
  }
}
