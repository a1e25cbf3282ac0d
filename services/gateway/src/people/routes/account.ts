import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { pageForm } from '../../http/schemas.ts'
import { type AccountPageDeps, showAccount } from '../account/account-page.ts'
import { mustProve } from '../account/proven-session.ts'
import { chosenFaultIn } from '../pages/chosen-fault.ts'
import { markRefused } from '../pages/errors.ts'
import { pageRoute } from '../pages/page-route.ts'
import { secondFactorAddress } from '../pages/return-to.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { BrowserSession, BrowserSessions } from '../session/browser-session.ts'
import { logOut } from '../session/log-out.ts'
import type { Texts } from '../texts/table.ts'
import { tooManyFailures } from './login.ts'

/** The needs of the routes of the account page. */
export type AccountDeps = AccountPageDeps & {
  identity: Pick<
    RpcClient<typeof IdentityServiceService>,
    'endSession' | 'withdrawConsent' | 'changePassword'
  >
  sessions: BrowserSessions
  emit: Emit
}

const toAccount = (reply: FastifyReply, what: string) => reply.redirect(`/account?done=${what}`, 303)
const config = { page: true } as const

/** GET /account and the forms on it. Without a session, each redirects to the login page. */
export const accountPage = endpoint({ name: 'account', door: 'people', routes: accountRoutes })

function accountRoutes(app: App, deps: AccountDeps): void {
  showRoute(app, deps)
  accessRoutes(app, deps)
  passwordRoute(app, deps)
}

function showRoute(app: App, deps: AccountDeps): void {
  pageRoute(app, {
    url: '/account',
    async handler(request, reply) {
      const session = await deps.sessions.of(request)
      if (session === undefined) return reply.redirect('/auth/login?return_to=%2Faccount')
      const what = parseForm(queryOf(request.url)).done ?? ''
      return showAccount(reply, session, { done: what }, deps)
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
          if (mustProve(session)) return toProof(reply)
          await deps.identity.endSession({ userId: session.user.userId, sessionId, endLinks: true })
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
    // `organization_id` is that of an access in an organization.
    schema: pageForm('client_id', 'organization_id'),
    handler: (request, reply) =>
      withProvenSession(request, reply, deps.sessions, async ({ user }) => {
        const clientId = required(request.body, 'client_id')
        const organizationId = request.body.organization_id || undefined
        await deps.identity.withdrawConsent({ userId: user.userId, clientId, organizationId })
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
      withProvenSession(request, reply, deps.sessions, async (session) => {
        const keepAccess = request.body.keep_access === 'yes'
        const problem = await changePassword(request.body, keepAccess, session, { ...deps, ip: request.ip })
        if (problem === undefined) return toAccount(reply, keepAccess ? 'password-only' : 'password')
        markRefused(request, reply, problem)
        return showAccount(reply, session, { problem, keepAccess }, deps)
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

/** As withSession; a session that lacks the second factor leads to its page, since somebody with the password alone may have it. */
export function withProvenSession(
  request: FastifyRequest,
  reply: FastifyReply,
  sessions: BrowserSessions,
  act: (session: BrowserSession) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  return withSession(request, reply, sessions, async (session) =>
    mustProve(session) ? toProof(reply) : act(session),
  )
}

const toProof = (reply: FastifyReply) => reply.redirect(secondFactorAddress('/account', 'session'), 303)

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
  const wrong = (explain: (texts: Texts) => string) => new TranslatedRefusal('invalid_request', explain)
  if (newPassword !== (form.new_password_again ?? '')) {
    return wrong((t) => t.password.differ)
  }
  const { outcome, unacceptableCode } = await identity.changePassword({
    sessionSecret: secret,
    currentPassword,
    newPassword,
    ipAddress,
    keepAccess,
  })
  if (outcome?.$case === 'changed') return undefined
  if (outcome?.$case === 'throttled') return tooManyFailures(outcome.value.retryAfterSeconds)
  if (outcome?.$case === 'unacceptable') {
    return wrong((t) => chosenFaultIn(t, unacceptableCode) ?? t.password.unacceptable(outcome.value))
  }
  return wrong((t) => t.password.wrong)
}
