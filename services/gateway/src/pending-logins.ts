import { isSecret } from '@gatehouse/kit/formats'
import type { PendingLogin } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The logins that wait for a second factor, in the browsers that send requests. Such a login is no session. */
export type PendingLogins = {
  /** The secret in a request's cookie, even when its login has ended; empty when there is none. */
  secretOf(request: FastifyRequest): string
  /** The mark of what the user typed to log in (markOf); empty when they typed nothing. */
  markOf(request: FastifyRequest): string
  /** Gives the browser its login. @param mark the mark of the name or the address that the user typed */
  begin(reply: FastifyReply, login: PendingLogin, mark?: string): void
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
  const contentOf = (request: FastifyRequest) => {
    const cookie = request.cookies[name]
    const value = (cookie && request.unsignCookie(cookie).value) || ''
    const [secret = '', mark = ''] = value.startsWith(beginning)
      ? value.slice(beginning.length).split('.')
      : []
    return isSecret(secret) ? { secret, mark } : { secret: '', mark: '' }
  }
  return {
    secretOf: (request) => contentOf(request).secret,
    markOf: (request) => contentOf(request).mark,
    begin(reply, { secret, expiresAt }, mark = '') {
      const expires = expiresAt && { expires: expiresAt }
      reply.setCookie(name, `${beginning}${secret}.${mark}`, { ...shared, ...expires })
    },
    end: (reply) => void reply.clearCookie(name, shared),
  }
}
