import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { AddressRequestOutcome, MailLinkPurpose, type MailServiceService } from '@gatehouse/proto/mail/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { pageForm } from '../../http/schemas.ts'
import type { MailOptions } from '../logins/mail-options.ts'
import { markRefused } from '../pages/errors.ts'
import { linkOver } from '../pages/link-over.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { loginAddress } from '../pages/return-to.ts'
import { explanationOf, TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { BrowserSession, BrowserSessions } from '../session/browser-session.ts'
import { type Texts, textsIn } from '../texts/table.ts'
import { withProvenSession, withSession } from './account.ts'

/** The needs of the pages for one's own address. */
export type AddressDeps = {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser'>
  mails: Pick<
    RpcClient<typeof MailServiceService>,
    'requestAddressConfirmation' | 'getMailLink' | 'confirmAddress'
  >
  mailOptions: MailOptions
  sessions: BrowserSessions
}

const page = { page: true } as const
/** Ten of them a minute come from one address. */
const sending = { page: true, limit: 'costly' } as const
const own = '/account/address'

/** The pages with which users change or confirm their e-mail address. */
export const addressPages = endpoint({ name: 'own address', door: 'people', routes: addressRoutes })

function addressRoutes(app: App, deps: AddressDeps): void {
  requestRoutes(app, deps)
  confirmationRoutes(app, deps)
}

function requestRoutes(app: App, deps: AddressDeps): void {
  const { sessions, mails, mailOptions } = deps
  pageRoute(app, {
    url: own,
    handler: (request, reply) =>
      withSession(request, reply, sessions, async (session) => {
        if (!(await mailOptions()).mails) throw new TranslatedRefusal('not_found', (t) => t.address.own.off)
        return showForm(reply, session, { value: '', problem: undefined }, deps)
      }),
  })

  app.route({
    method: 'POST',
    url: own,
    config: sending,
    schema: pageForm('email'),
    handler: (request, reply) =>
      withProvenSession(request, reply, sessions, async (session) => {
        const { email: address = '' } = request.body
        const { outcome } = await mails.requestAddressConfirmation({
          sessionSecret: session.secret,
          address: address || undefined,
          language: languageOf(request),
        })
        if (outcome === AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_SENT)
          return reply.redirect('/account?done=address', 303)
        if (outcome === AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_LOGIN_TOO_OLD)
          return reply.redirect(loginAddress(own, { again: true }), 303)
        const refusal = new TranslatedRefusal('invalid_request', (t) => problemOf(outcome, t))
        markRefused(request, reply, refusal)
        const problem = explanationOf(refusal, textsIn(languageOf(request)))
        return showForm(reply, session, { value: address, problem }, deps)
      }),
  })
}

/** The reason why no mail goes to the address, in the language of the page. */
function problemOf(outcome: AddressRequestOutcome, { address, mail }: Texts): string {
  if (outcome === AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_UNCHANGED) return address.own.unchanged
  if (outcome === AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_TOO_MANY) return address.own.tooMany
  return mail.wrongAddress
}

async function showForm(
  reply: FastifyReply,
  { user }: BrowserSession,
  form: { value: string; problem: string | undefined },
  { identity }: AddressDeps,
): Promise<FastifyReply> {
  const { user: record } = await identity.getUser({ userId: user.userId })
  const { email, email_verified: verified } = record?.attributes ?? {}
  const address = typeof email === 'string' ? email : undefined
  return sendPage(reply, 'account/address', { user, address, verified: verified === true, ...form })
}

function confirmationRoutes(app: App, { mails, sessions }: AddressDeps): void {
  const url = '/auth/confirm-address'
  const donePage = `${url}/done`
  const over = (request: FastifyRequest, reply: FastifyReply) =>
    linkOver(request, reply, {
      href: '/account',
      text: textsIn(languageOf(request)).mail.over.toAccount,
    })
  pageRoute(app, {
    url,
    async handler(request, reply) {
      const { token = '' } = parseForm(queryOf(request.url))
      const purpose = MailLinkPurpose.MAIL_LINK_PURPOSE_ADDRESS
      const { link } = await mails.getMailLink({ secret: token, purpose })
      if (link?.username === undefined) return over(request, reply)
      return sendPage(reply, 'confirm-address', { token, address: link.address, username: link.username })
    },
  })

  app.route({
    method: 'POST',
    url,
    config: page,
    schema: pageForm('token'),
    async handler(request, reply) {
      const { confirmed } = await mails.confirmAddress({ secret: request.body.token ?? '' })
      if (!confirmed) return over(request, reply)
      const session = await sessions.of(request)
      return reply.redirect(session ? '/account?done=address-confirmed' : donePage, 303)
    },
  })

  pageRoute(app, {
    url: donePage,
    async handler(request, reply) {
      // The page is for people who follow the link in a browser in which they are not logged in.
      if (await sessions.of(request)) return reply.redirect('/account')
      return sendPage(reply, 'address-confirmed', {})
    },
  })
}
