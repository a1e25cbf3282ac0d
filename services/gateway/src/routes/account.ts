import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccountAppsDeps, accountApps } from '../account-apps.ts'
import { accountFactors, factorMessage } from '../account-factors.ts'
import { attributeFacts } from '../attribute-inputs.ts'
import { browserName } from '../browser-name.ts'
import type { BrowserSession, BrowserSessions } from '../browser-session.ts'
import { markRefused } from '../errors.ts'
import { logOut } from '../log-out.ts'
import type { MailOptions } from '../mail-options.ts'
import { languageOf } from '../page-language.ts'
import { sendPage } from '../pages.ts'
import { pageForm } from '../schemas.ts'
import { providerTitle } from '../social-providers.ts'
import { textsIn } from '../texts/table.ts'
import { tooManyFailures } from './login.ts'

/** What the account page needs. */
export type AccountDeps = AccountAppsDeps & {
  identity: Pick<
    RpcClient<typeof IdentityServiceService>,
    'listSessions' | 'endSession' | 'withdrawConsent' | 'changePassword' | 'getUser' | 'listFactors'
  >
  sessions: BrowserSessions
  mailOptions: MailOptions
  emit: Emit
}

/** The message of the page after the redirect, by what was done. */
const done: Record<string, string> = {
  session: 'That session has ended.',
  app: 'The access is withdrawn: the app’s tokens no longer work.',
  details: 'Your details are saved.',
  address: 'We have sent a mail. Your address changes when you follow the link in it.',
  'address-confirmed': 'Your e-mail address is confirmed.',
  password: 'Your password is changed. Your other sessions have ended, and apps have lost their access.',
  'password-only': 'Your password is changed. Your other sessions and your apps keep their access.',
}

const time = (date: Date) => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const toAccount = (reply: FastifyReply, what: string) => reply.redirect(`/account?done=${what}`, 303)
const config = { page: true } as const

/** GET /account and the forms on it. Without a session, each redirects to the login page. */
export function accountRoutes(app: App, deps: AccountDeps): void {
  pageRoute(app, deps)
  accessRoutes(app, deps)
  passwordRoute(app, deps)
}

function pageRoute(app: App, deps: AccountDeps): void {
  app.route({
    method: 'GET',
    url: '/account',
    config,
    attachValidation: true,
    schema: { hide: true },
    async handler(request, reply) {
      const session = await deps.sessions.of(request)
      if (session === undefined) return reply.redirect('/auth/login?return_to=%2Faccount')
      const what = parseForm(queryOf(request.url)).done ?? ''
      return showAccount(
        reply,
        session,
        {
          message: Object.hasOwn(done, what) ? done[what] : factorMessage(what, textsIn(languageOf(request))),
        },
        deps,
      )
    },
  })
}

/** The forms that end sessions and the access of apps. */
function accessRoutes(app: App, deps: AccountDeps): void {
  app.route({
    method: 'POST',
    url: '/account/sessions/end',
    config,
    schema: pageForm('session_id'),
    handler: (request, reply) =>
      withSession(request, reply, deps.sessions, async (session) => {
        const sessionId = required(request.body, 'session_id')
        if (sessionId !== session.sessionId) {
          await deps.identity.endSession({ userId: session.user.userId, sessionId })
          return toAccount(reply, 'session')
        }
        await logOut(reply, { session }, deps)
        return reply.redirect('/auth/login', 303)
      }),
  })

  app.route({
    method: 'POST',
    url: '/account/apps/withdraw',
    config,
    schema: pageForm('client_id'),
    handler: (request, reply) =>
      withSession(request, reply, deps.sessions, async ({ user }) => {
        const clientId = required(request.body, 'client_id')
        await deps.identity.withdrawConsent({ userId: user.userId, clientId })
        return toAccount(reply, 'app')
      }),
  })
}

function passwordRoute(app: App, deps: AccountDeps): void {
  app.route({
    method: 'POST',
    url: '/account/password',
    config,
    // `keep_access` is `yes` to keep other sessions and the tokens of apps.
    schema: pageForm('current_password', 'new_password', 'new_password_again', 'keep_access'),
    handler: (request, reply) =>
      withSession(request, reply, deps.sessions, async (session) => {
        const keepAccess = request.body.keep_access === 'yes'
        const problem = await changePassword(request.body, keepAccess, session, { ...deps, ip: request.ip })
        if (problem === undefined) return toAccount(reply, keepAccess ? 'password-only' : 'password')
        markRefused(request, reply, problem)
        return showAccount(reply, session, { problem: problem.description, keepAccess }, deps)
      }),
  })
}

/** Acts for the session's user. Without a session it redirects to the login page, and from there to the account page. */
export async function withSession(
  request: FastifyRequest,
  reply: FastifyReply,
  sessions: BrowserSessions,
  act: (session: BrowserSession) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store')
  const session = await sessions.of(request)
  return session ? act(session) : reply.redirect('/auth/login?return_to=%2Faccount', 303)
}

function required<Name extends string>(body: Partial<Record<Name, string>>, name: Name): string {
  const value = body[name]
  if (value === undefined) throw new Refusal('invalid_request', `${name} is missing.`)
  return value
}

type PasswordForm = { current_password?: string; new_password?: string; new_password_again?: string }

async function changePassword(
  form: PasswordForm,
  keepAccess: boolean,
  { secret }: BrowserSession,
  { identity, ip: ipAddress }: Pick<AccountDeps, 'identity'> & { ip: string },
): Promise<Refusal | undefined> {
  const { current_password: currentPassword = '', new_password: newPassword = '' } = form
  const wrong = (description: string) => new Refusal('invalid_request', description)
  if (newPassword !== (form.new_password_again ?? '')) {
    return wrong('The two new passwords differ. Nothing was changed.')
  }
  const { outcome } = await identity.changePassword({
    sessionSecret: secret,
    currentPassword,
    newPassword,
    ipAddress,
    keepAccess,
  })
  if (outcome?.$case === 'changed') return undefined
  if (outcome?.$case === 'throttled') return tooManyFailures(outcome.value.retryAfterSeconds)
  if (outcome?.$case === 'unacceptable') return wrong(outcome.value)
  return wrong('The current password is wrong. Nothing was changed.')
}

async function showAccount(
  reply: FastifyReply,
  { user, sessionId: current }: BrowserSession,
  said: { message?: string | undefined; problem?: string; keepAccess?: boolean },
  deps: AccountDeps,
): Promise<FastifyReply> {
  const { userId } = user
  const [{ sessions }, { user: record }, { apps, complete }, { mails: mailsOn }, factors] = await Promise.all(
    [
      deps.identity.listSessions({ userId }),
      deps.identity.getUser({ userId }),
      accountApps(userId, deps, reply.log),
      deps.mailOptions(),
      accountFactors(userId, deps.identity),
    ],
  )
  return sendPage(reply, 'account', {
    user,
    message: said.message,
    problem: said.problem,
    keepAccess: said.keepAccess ?? false,
    hasPassword: record?.hasPassword ?? true,
    socialAccounts: (record?.socialAccounts ?? []).map(({ provider, displayName }) => ({
      provider: providerTitle(provider),
      displayName,
    })),
    mailsOn,
    factors,
    attributes: attributeFacts(record?.attributes ?? {}),
    time,
    apps,
    appsComplete: complete,
    sessions: sessions
      .map(({ sessionId, userAgent, ipAddress, createdAt }) => ({
        sessionId,
        browser: browserName(userAgent),
        ipAddress,
        createdAt: createdAt ?? new Date(0),
        current: sessionId === current,
      }))
      // The sort is stable, so the others stay newest first.
      .sort((one, other) => Number(other.current) - Number(one.current)),
  })
}
