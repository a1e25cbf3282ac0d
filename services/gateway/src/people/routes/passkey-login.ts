import type { App } from '@gatehouse/http/app'
import { isSecret } from '@gatehouse/kit/formats'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageForm } from '../../http/schemas.ts'
import { provingBrowser } from '../account/factor-places.ts'
import { prefersHtml } from '../pages/errors.ts'
import { returnPath } from '../pages/return-to.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import { continueAfterLogin, type LoginDeps, showLogin } from './login.ts'

/** The needs of a login with a passkey alone. */
export type PasskeyLoginDeps = LoginDeps & {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'beginPasskeyLogin' | 'logInWithPasskey'>
  sessions: BrowserSessions
}

/** One key signs this cookie and the session's: no session's secret begins like this. */
const beginning = 'passkey.'

/**
 * POST /auth/passkey/options, which gives the login page's script what it asks the browser, and POST /auth/passkey, which takes the
 * browser's answer.
 */
export function passkeyLoginRoutes(app: App, deps: PasskeyLoginDeps): void {
  const secure = deps.issuer.startsWith('https:')
  const name = `${secure ? '__Host-' : ''}gatehouse_passkey`
  const cookie = { httpOnly: true, sameSite: 'strict', secure, signed: true, path: '/' } as const

  app.route({
    method: 'POST',
    url: '/auth/passkey/options',
    schema: { hide: true },
    async handler(_request, reply) {
      const { options, browserSecret, expiresIn } = await deps.identity.beginPasskeyLogin({})
      reply.setCookie(name, `${beginning}${browserSecret}`, { ...cookie, maxAge: expiresIn })
      return reply
        .header('cache-control', 'no-store')
        .type('application/json; charset=utf-8')
        .send(options ?? 'null')
    },
  })

  app.route({
    method: 'POST',
    url: '/auth/passkey',
    config: { page: true },
    schema: pageForm('passkey', 'return_to', 'client_id'),
    async handler(request, reply) {
      const { passkey: answer = '', client_id } = request.body
      const clientId = client_id || undefined
      const returnTo = returnPath(request.body.return_to)
      const browser = provingBrowser(request, deps)
      const given = { answer, browserSecret: secretOf(request), browser, clientId }
      const { session } = await deps.identity.logInWithPasskey(given)
      reply.clearCookie(name, cookie)
      if (session) return continueAfterLogin(request, reply, { begun: session, returnTo, clientId }, deps)
      return refuse(request, reply, returnTo)
    },
  })

  function secretOf(request: FastifyRequest): string {
    const value = request.cookies[name]
    const unsigned = (value && request.unsignCookie(value).value) || ''
    const secret = unsigned.startsWith(beginning) ? unsigned.slice(beginning.length) : ''
    return isSecret(secret) ? secret : ''
  }

  function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    returnTo: string | undefined,
  ): Promise<FastifyReply> {
    const refusal = new TranslatedRefusal('login_required', ({ passkey }) => passkey.refused)
    if (!prefersHtml(request)) throw refusal
    return showLogin(request, reply, { returnTo, refusal, passkeyRefused: true }, deps)
  }
}
