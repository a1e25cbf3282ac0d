import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { MailLinkPurpose, type MailServiceService } from '@gatehouse/proto/mail/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { pageForm } from '../../http/schemas.ts'
import { askSecondFactor, sendOn } from '../logins/after-login.ts'
import type { MailOptions } from '../logins/mail-options.ts'
import { chosenFaultIn } from '../pages/chosen-fault.ts'
import { markRefused } from '../pages/errors.ts'
import type { Problem } from '../pages/form-problem.ts'
import { linkOver } from '../pages/link-over.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { loginAddress, pathWithReturn, returnPath } from '../pages/return-to.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import type { PendingLogins } from '../session/pending-logins.ts'
import { type SignUpAddress, signUpSentPage } from '../session/sign-up-address.ts'
import { textsIn } from '../texts/table.ts'

/** The needs of signing up. */
export type SignUpDeps = {
  mails: Pick<RpcClient<typeof MailServiceService>, 'requestSignUp' | 'getMailLink' | 'completeSignUp'>
  mailOptions: MailOptions
  sessions: BrowserSessions
  pendingLogins: PendingLogins
  signUpAddress: SignUpAddress
}

const page = { page: true } as const
/** Ten of them a minute come from one address. */
const sending = { page: true, limit: 'costly' } as const

/** The pages with which people create an account: first they give an address, then follow the link in the mail. */
export const signUpPages = endpoint({ name: 'sign-up', door: 'people', routes: signUpRoutes })

function signUpRoutes(app: App, deps: SignUpDeps): void {
  requestRoutes(app, deps)
  completionRoutes(app, deps)
}

function requestRoutes(app: App, { mails, mailOptions, signUpAddress }: SignUpDeps): void {
  const url = '/auth/signup'
  pageRoute(app, {
    url,
    async handler(request, reply) {
      if (!(await mailOptions()).signUp) throw new TranslatedRefusal('not_found', (t) => t.signUp.closed)
      const returnTo = returnPath(parseForm(queryOf(request.url)).return_to)
      return sendPage(reply, 'sign-up', { returnTo, address: '', problem: undefined })
    },
  })

  app.route({
    method: 'POST',
    url,
    config: sending,
    schema: pageForm('email', 'return_to'),
    async handler(request, reply) {
      const { email: address = '' } = request.body
      const returnTo = returnPath(request.body.return_to)
      const language = languageOf(request)
      const { problem } = await mails.requestSignUp({ address, language, returnTo })
      if (problem === undefined) {
        signUpAddress.set(reply, { address: address.trim() })
        return reply.redirect(pathWithReturn(signUpSentPage, returnTo), 303)
      }
      markRefused(request, reply, new Refusal('invalid_request', problem))
      const { wrongAddress } = textsIn(language).mail
      return sendPage(reply, 'sign-up', { returnTo, address, problem: wrongAddress })
    },
  })

  pageRoute(app, {
    url: signUpSentPage,
    async handler(request, reply) {
      const returnTo = returnPath(parseForm(queryOf(request.url)).return_to)
      const sent = signUpAddress.read(request)
      if (sent === undefined) return reply.redirect(pathWithReturn(url, returnTo))
      return sendPage(reply, 'mail-sent', { address: sent.address, returnTo })
    },
  })
}

function completionRoutes(app: App, deps: SignUpDeps): void {
  const { mails, sessions } = deps
  const url = '/auth/signup/complete'
  pageRoute(app, {
    url,
    async handler(request, reply) {
      const { token = '' } = parseForm(queryOf(request.url))
      return showForm(request, reply, { token, username: '' }, deps)
    },
  })

  app.route({
    method: 'POST',
    url,
    config: page,
    schema: pageForm('token', 'username', 'password'),
    async handler(request, reply) {
      const { token = '', username = '', password = '' } = request.body
      const { outcome } = await mails.completeSignUp({
        secret: token,
        username: username.normalize('NFC').trim(),
        password,
        ipAddress: request.ip,
        userAgent: request.headers['user-agent'] ?? '',
        previousSessionSecret: sessions.secretOf(request),
        language: languageOf(request),
      })
      if (outcome?.$case === 'problem') {
        const { field, code, rule } = outcome.value
        const refusal = new Refusal('invalid_request', `${field} ${rule}.`)
        markRefused(request, reply, refusal)
        const text = chosenFaultIn(textsIn(languageOf(request)), code) ?? refusal.description
        return showForm(request, reply, { token, username, problem: { field, text } }, deps)
      }
      const signedUp = outcome?.$case === 'signedUp' ? outcome.value : undefined
      const { session, pending } = signedUp ?? {}
      const returnTo = returnPath(signedUp?.returnTo)
      if (pending) return askSecondFactor(reply, { pending, returnTo, status: 303 }, deps.pendingLogins)
      if (session === undefined) return linkOver(request, reply, await nextOf(request, deps))
      return sendOn(request, reply, { session, returnTo, status: 303 }, sessions)
    },
  })
}

async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, username, problem }: { token: string; username: string; problem?: Problem },
  deps: SignUpDeps,
): Promise<FastifyReply> {
  const purpose = MailLinkPurpose.MAIL_LINK_PURPOSE_SIGN_UP
  const { link } = await deps.mails.getMailLink({ secret: token, purpose })
  if (link === undefined) return linkOver(request, reply, await nextOf(request, deps))
  const content = { token, address: link.address, username, problem }
  return sendPage(reply, 'sign-up-complete', content, { scripts: true })
}

/** Where to get another link. */
async function nextOf(request: FastifyRequest, { mailOptions }: SignUpDeps) {
  const { signUp } = textsIn(languageOf(request))
  return (await mailOptions()).signUp
    ? { href: '/auth/signup', text: signUp.again }
    : { href: loginAddress(undefined), text: signUp.logIn }
}
