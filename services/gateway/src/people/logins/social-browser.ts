import { isSecret } from '@gatehouse/kit/formats'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The secrets that browsers get when a social login begins, so that no other browser can finish it. */
export type SocialBrowsers = {
  /** The secrets of the logins that this browser has begun, newest first. */
  secretsOf(request: FastifyRequest): string[]
  /**
   * Gives the browser one more.
   * @param lifetime in seconds
   */
  remember(request: FastifyRequest, reply: FastifyReply, secret: string, lifetime: number): void
}

const cookieName = 'gatehouse_social'
/** One key signs this cookie and the session's: no session's secret begins like this. */
const beginning = 'social'
/** How many logins one browser may have under way, for example in several tabs. */
const most = 3

/** Keeps the secrets in a signed cookie. It is Lax because the browser comes back from the provider's site. */
export function createSocialBrowsers(secure: boolean): SocialBrowsers {
  const secretsOf = (request: FastifyRequest) => {
    const cookie = request.cookies[cookieName]
    const [first, ...secrets] = ((cookie && request.unsignCookie(cookie).value) || '').split('.')
    return first === beginning ? secrets.filter(isSecret).slice(0, most) : []
  }
  return {
    secretsOf,
    remember(request, reply, secret, lifetime) {
      const secrets = [secret, ...secretsOf(request)].slice(0, most)
      reply.setCookie(cookieName, [beginning, ...secrets].join('.'), {
        httpOnly: true,
        sameSite: 'lax',
        secure,
        signed: true,
        path: '/auth',
        maxAge: lifetime,
      })
    },
  }
}
