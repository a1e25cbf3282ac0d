import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { MailLinkPurpose, type MailServiceService } from '@gatehouse/proto/mail/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { pageForm } from '../../http/schemas.ts'
import type { MailOptions } from '../logins/mail-options.ts'
import { chosenFaultIn } from '../pages/chosen-fault.ts'
import { markRefused } from '../pages/errors.ts'
import { linkOver } from '../pages/link-over.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { loginAddress, pathWithReturn, returnPath } from '../pages/return-to.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import { textsIn } from '../texts/table.ts'

/** The needs of resetting a lost password. */
export type PasswordResetDeps = {
  mails: Pick<
    RpcClient<typeof MailServiceService>,
    'requestPasswordReset' | 'getMailLink' | 'completePasswordReset'
  >
  mailOptions: MailOptions
  sessions: Pick<BrowserSessions, 'end'>
}

const page = { page: true } as const
/** Ten of them a minute come from one address. */
const sending = { page: true, limit: 'costly' } as const
const sentPage = '/auth/forgot/sent'
const off = new TranslatedRefusal('not_found', (t) => t.passwordReset.off)

/** The pages with which users reset a password that they have lost. */
export const passwordResetPages = endpoint({
  name: 'password reset',
  door: 'people',
  routes: passwordResetRoutes,
})

function passwordResetRoutes(app: App, deps: PasswordResetDeps): void {
  requestRoutes(app, deps)
  resetRoutes(app, deps)
}

function requestRoutes(app: App, { mails, mailOptions }: PasswordResetDeps): void {
  const url = '/auth/forgot'
  pageRoute(app, {
    url,
    async handler(request, reply) {
      if (!(await mailOptions()).mails) throw off
      const { return_to: wanted } = parseForm(queryOf(request.url))
      const returnTo = returnPath(wanted)
      return sendPage(reply, 'forgot-password', { returnTo, username: '', problem: undefined })
    },
  })

  app.route({
    method: 'POST',
    url,
    config: sending,
    schema: pageForm('username', 'return_to'),
    async handler(request, reply) {
      const { username = '' } = request.body
      const returnTo = returnPath(request.body.return_to)
      if (username.trim() === '') {
        const problem = textsIn(languageOf(request)).passwordReset.missing
        markRefused(request, reply, new Refusal('invalid_request', 'username is missing.'))
        return sendPage(reply, 'forgot-password', { returnTo, username, problem })
      }
      await mails.requestPasswordReset({ username, language: languageOf(request), returnTo })
      return reply.redirect(pathWithReturn(sentPage, returnTo), 303)
    },
  })

  pageRoute(app, {
    url: sentPage,
    async handler(request, reply) {
      if (!(await mailOptions()).mails) throw off
      const returnTo = returnPath(parseForm(queryOf(request.url)).return_to)
      return sendPage(reply, 'mail-sent', { address: undefined, returnTo })
    },
  })
}

function resetRoutes(app: App, deps: PasswordResetDeps): void {
  const url = '/auth/reset'
  pageRoute(app, {
    url,
    async handler(request, reply) {
      const { token = '' } = parseForm(queryOf(request.url))
      return showForm(request, reply, { token }, deps)
    },
  })

  app.route({
    method: 'POST',
    url,
    config: page,
    schema: pageForm('token', 'new_password'),
    async handler(request, reply) {
      const { token = '', new_password: newPassword = '' } = request.body
      const { outcome } = await deps.mails.completePasswordReset({
        secret: token,
        newPassword,
        ipAddress: request.ip,
        userAgent: request.headers['user-agent'] ?? '',
      })
      if (outcome?.$case === 'problem') {
        const { code, rule } = outcome.value
        const refusal = new Refusal('invalid_request', `new_password ${rule}.`)
        markRefused(request, reply, refusal)
        const problem = chosenFaultIn(textsIn(languageOf(request)), code) ?? refusal.description
        return showForm(request, reply, { token, problem }, deps)
      }
      if (outcome?.$case !== 'reset') return linkOver(request, reply, another(request))
      // The session of this browser has ended with all others of the user.
      deps.sessions.end(reply)
      const address = loginAddress(returnPath(outcome.value.returnTo))
      const confirmed = `${address}${address.includes('?') ? '&' : '?'}done=password`
      return reply.redirect(confirmed, 303)
    },
  })
}

async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, problem }: { token: string; problem?: string },
  { mails }: PasswordResetDeps,
): Promise<FastifyReply> {
  const purpose = MailLinkPurpose.MAIL_LINK_PURPOSE_PASSWORD_RESET
  const { link } = await mails.getMailLink({ secret: token, purpose })
  if (link?.username === undefined) return linkOver(request, reply, another(request))
  return sendPage(reply, 'reset-password', { token, username: link.username, problem }, { scripts: true })
}

/** Where to get another link. */
function another(request: FastifyRequest) {
  return { href: '/auth/forgot', text: textsIn(languageOf(request)).passwordReset.another }
}
