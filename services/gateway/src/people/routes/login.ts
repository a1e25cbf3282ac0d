import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { answers } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService, NewSession } from '@gatehouse/proto/identity/v1'
import { LoginReason } from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { pageForm, redirect } from '../../http/schemas.ts'
import { formTarget } from '../authorization/authorization.ts'
import {
  type AuthorizationStepDeps,
  continueAuthorization,
  waitingAuthorization,
} from '../authorization/authorization-step.ts'
import { askSecondFactor, sendOn } from '../logins/after-login.ts'
import { organizationAddressPage } from '../logins/connection-addresses.ts'
import type { MailOptions } from '../logins/mail-options.ts'
import type { LoginOffers } from '../logins/offers.ts'
import { continuing, namingOwn, organizationAt, otherWayFor } from '../logins/other-way.ts'
import { providerTitle } from '../logins/social-providers.ts'
import { shownName } from '../pages/client-name.ts'
import { markRefused, prefersHtml } from '../pages/errors.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { flowAt, loginAddress, pathWithReturn, returnPath } from '../pages/return-to.ts'
import { explanationOf, TranslatedRefusal } from '../pages/translated-refusal.ts'
import { type BrowserSessions, browserSession, markOf } from '../session/browser-session.ts'
import { logOut } from '../session/log-out.ts'
import type { PendingLogins } from '../session/pending-logins.ts'
import { textsIn } from '../texts/table.ts'

/** The needs of logging in and out. */
export type LoginDeps = AuthorizationStepDeps & {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'logIn' | 'endSession'>
  /** The names of the providers that are configured. */
  socialProviders(): Promise<string[]>
  loginOffers: LoginOffers
  organizationService: Parameters<typeof namingOwn>[1]['organizationService']
  /** Whether organizations are on. */
  organizations: boolean
  mailOptions: MailOptions
  sessions: BrowserSessions
  pendingLogins: PendingLogins
  /** Whether users can log in with passkeys. */
  passkeys: boolean
  emit: Emit
}

/** GET and POST /auth/login, the page and its form, and POST /auth/logout. */
export const loginPages = endpoint({ name: 'login', door: 'people', tag: 'Login', routes: loginRoutes })

function loginRoutes(app: App, deps: LoginDeps): void {
  const page = { page: true } as const

  pageRoute(app, {
    url: '/auth/login',
    async handler(request, reply) {
      const { return_to: wanted, done, again, other } = parseForm(queryOf(request.url))
      const flags = { again: again !== undefined, otherWay: other !== undefined }
      const shown = { returnTo: returnPath(wanted), done, ...flags }
      return showLogin(request, reply, shown, deps)
    },
  })

  app.route({
    method: 'POST',
    url: '/auth/login',
    config: page,
    // `client_id` is the client whose authorization request needs the login.
    schema: pageForm('username', 'password', 'return_to', 'client_id'),
    async handler(request, reply) {
      const { username = '', password = '', client_id } = request.body
      const clientId = client_id || undefined
      const returnTo = returnPath(request.body.return_to)
      const outcome = await attemptLogin(request, { username, password, clientId }, deps)
      const mark = markOf(username)
      if ('pending' in outcome)
        return askSecondFactor(reply, { ...outcome, returnTo, status: 303, mark }, deps.pendingLogins)
      if (!(outcome instanceof Refusal))
        return continueAfterLogin(request, reply, { begun: outcome, returnTo, clientId, mark }, deps)
      if (!prefersHtml(request)) throw outcome
      return showLogin(request, reply, { returnTo, username, refusal: outcome }, deps)
    },
  })

  app.route({
    method: 'POST',
    url: '/auth/logout',
    config: page,
    schema: {
      operationId: 'logOut',
      summary: 'Log out',
      response: answers(
        { 302: redirect('A redirect to the login page that clears the session cookie.') },
        'access_denied',
      ),
    },
    async handler(request, reply) {
      const session = await deps.sessions.any(request)
      if (session) await logOut(reply, { session }, deps)
      else deps.sessions.end(reply)
      return reply.redirect('/auth/login')
    },
  })
}

async function attemptLogin(
  request: FastifyRequest,
  { username, password, clientId }: { username: string; password: string; clientId: string | undefined },
  { identity, sessions }: LoginDeps,
) {
  if (username === '' || password === '') {
    return new TranslatedRefusal('login_required', (t) => t.login.missing)
  }
  const { outcome } = await identity.logIn({
    username,
    password,
    ipAddress: request.ip,
    knownBrowser: sessions.isKnown(request, username),
    knownUsers: sessions.knownUsers(request),
    userAgent: request.headers['user-agent'] ?? '',
    previousSessionSecret: sessions.secretOf(request),
    clientId,
  })
  if (outcome === undefined) {
    return new TranslatedRefusal('login_required', (t) => t.login.wrong)
  }
  if (outcome.$case === 'session') return outcome.value
  if (outcome.$case === 'pending') return { pending: outcome.value }
  return tooManyFailures(outcome.value.retryAfterSeconds)
}

/**
 * The refusal of a login whose password was not checked, because too many failed before.
 * @param seconds how long until the next attempt is allowed
 */
export function tooManyFailures(seconds: number): Refusal {
  return new TranslatedRefusal('rate_limit_exceeded', (t) => t.login.tooMany(seconds), {
    retryAfter: Math.max(1, seconds),
  })
}

/**
 * Redirects the browser after a login. If an authorization request needed the login, its next step follows at once; only
 * the consent page has an address of its own, so that a reload does not send the password again.
 */
export async function continueAfterLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    begun,
    returnTo,
    clientId,
    mark,
  }: {
    begun: NewSession
    returnTo: string | undefined
    clientId: string | undefined
    /** The mark of the name or the address that the user typed. */
    mark?: string
  },
  deps: LoginDeps,
): Promise<FastifyReply> {
  const flowId = flowAt(returnTo)
  const session = browserSession(begun.session, begun.sessionSecret, clientId)
  if (flowId === undefined || session === undefined) {
    return sendOn(request, reply, { session: begun, returnTo, status: 303, mark }, deps.sessions)
  }
  deps.sessions.begin(request, reply, begun, mark)
  return continueAuthorization(request, reply, { flowId, session, status: 303 }, deps)
}

type LoginForm = {
  returnTo: string | undefined
  /** The change that was made before, by its name: `password`. */
  done?: string | undefined
  /** Whether a page wants a recent login. */
  again?: boolean
  /** Whether the login that there is does not count where a page leads. */
  otherWay?: boolean
  username?: string
  refusal?: Refusal
  /** Whether the refusal is about a passkey. */
  passkeyRefused?: boolean
}

/** Shows the login page. @param form.returnTo the result of returnPath */
export async function showLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  { again: wantedAgain = false, refusal, passkeyRefused = false, ...form }: LoginForm,
  deps: LoginDeps,
): Promise<FastifyReply> {
  const { returnTo, done, username } = form
  const flowId = flowAt(returnTo)
  const session = refusal ? undefined : await deps.sessions.any(request)
  const waiting = flowId === undefined ? undefined : await waitingAuthorization({ flowId, session }, deps)
  const organizationId = waiting ? waiting.organization?.organizationId : organizationAt(returnTo)
  const [providers, offered, { offers, byAddress }] = await Promise.all([
    deps.socialProviders(),
    deps.mailOptions(),
    deps.loginOffers(organizationId),
  ])
  if (refusal) markRefused(request, reply, refusal)
  const language = languageOf(request, waiting?.uiLocales?.split(' '))
  const again = wantedAgain || waiting?.loginReason === LoginReason.LOGIN_REASON_AGAIN
  const wanted = deps.organizations && form.otherWay === true
  const otherWay = await otherWayFor(session, { waiting, returnTo, wanted, nameOf: namingOwn(offers, deps) })
  const button = (title: string, provider: string) => ({
    ...{ title, href: loginAddress(returnTo, { provider, again }) },
  })
  // Where an organization takes no other login, its own connections stand before the form, which leads nowhere.
  const isDemanded = (offer: { organizationId?: string | undefined }) =>
    otherWay?.organization !== undefined &&
    otherWay.of !== 'factors' &&
    offer.organizationId === organizationId
  const content = {
    loggedInAs: session?.user.username,
    ...{ again, otherWay },
    // Where the page does not open, they go on where their login does.
    ...continuing(session, flowId, otherWay?.of === 'page' ? undefined : returnTo),
    clientId: waiting?.clientId,
    clientName: waiting && shownName(waiting),
    organization: waiting?.organization,
    done: done === 'password' ? textsIn(language).passwordReset.done : undefined,
    message: refusal && (explanationOf(refusal, textsIn(language)) ?? refusal.description),
    username: username ?? (again || otherWay ? session?.user.username : waiting?.loginHint),
    returnTo,
    passkeys: deps.passkeys,
    passkeyRefused,
    demanded: offers.filter(isDemanded).map(({ name, connectionId }) => button(name, connectionId)),
    providers: [
      ...providers.map((name) => button(providerTitle(name), name)),
      ...offers
        .filter((offer) => !isDemanded(offer))
        .map(({ name, connectionId }) => button(name, connectionId)),
    ],
    addressHref: byAddress ? pathWithReturn(organizationAddressPage, returnTo) : undefined,
    signUpHref: offered.signUp ? pathWithReturn('/auth/signup', returnTo) : undefined,
    resetHref: offered.mails ? pathWithReturn('/auth/forgot', returnTo) : undefined,
  }
  return sendPage(reply, 'login', content, {
    language,
    organization: waiting?.organization,
    // The redirects after the form may lead to the client.
    formTargets: waiting ? [formTarget(waiting.redirectUri)] : [],
    scripts: true,
    asks: deps.passkeys,
  })
}
