import { isSecret } from '@gatehouse/kit/formats'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a browser is given at the beginning of a social login, so that only it may end it. */
export type SocialBrowsers = {
  /** The secrets of the logins that this browser has begun; the newest first. */
  secretsOf(request: FastifyRequest): string[]
  /**
   * Gives the browser one more.
   * @param lifetime in seconds
   */
  remember(request: FastifyRequest, reply: FastifyReply, secret: string, lifetime: number): void
}

const cookieName = 'gatehouse_social'
/** One key signs this cookie and the session's: what begins so is no session's secret. */
const beginning = 'social'
/** How many logins of one browser may be under way, as in several tabs. */
const most = 3

/** The secrets in a signed cookie. It is Lax, since the browser comes back from another site. */
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
