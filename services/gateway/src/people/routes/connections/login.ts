import { parseForm, queryOf } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import {
  type BeginLoginResponse,
  type BegunLogin,
  type ConnectionLoginServiceService,
  type FinishedLogin,
  type FinishLoginResponse,
  LoginProblemKind,
  LoginPurpose,
} from '@gatehouse/proto/connection/v1'
import { LoginReason } from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { providerPatience } from '../../../services/provider-patience.ts'
import { type AuthorizationStepDeps, waitingAuthorization } from '../../authorization/authorization-step.ts'
import { askSecondFactor, sendOn } from '../../logins/after-login.ts'
import {
  begunTest,
  connectedPage,
  connectionsPage,
  connectPage,
  pageOfTest,
  testAddress,
  waitingAfter,
} from '../../logins/connection-addresses.ts'
import { explainConnectionProblem } from '../../logins/connection-problems.ts'
import { continuing } from '../../logins/other-way.ts'
import { showProblem, toLogin, type WayOn } from '../../logins/problem-page.ts'
import { providerAnswer } from '../../logins/provider-answer.ts'
import type { SocialBrowsers } from '../../logins/social-browser.ts'
import { unknownProvider } from '../../logins/social-problems.ts'
import { showLoginTest } from '../../organizations/login-test.ts'
import { organizationsPage } from '../../organizations/visit.ts'
import { pageUserOf } from '../../pages/page-user.ts'
import { sendPage } from '../../pages/pages.ts'
import { flowAt, loginAddress, returnPath } from '../../pages/return-to.ts'
import { followsForeignLink } from '../../pages/same-origin.ts'
import type { AnySession, BrowserSessions } from '../../session/browser-session.ts'
import type { PendingLogins } from '../../session/pending-logins.ts'

/** The needs of logins through connections. */
export type ConnectionLoginDeps = Pick<AuthorizationStepDeps, 'tokens'> & {
  connectionService: Pick<
    RpcClient<typeof ConnectionLoginServiceService>,
    'getOffer' | 'beginLogin' | 'finishLogin'
  >
  sessions: BrowserSessions
  pendingLogins: PendingLogins
  browsers: SocialBrowsers
  /** The public address of this server. */
  issuer: string
}

/** Begins a login through a connection, or a test of it. */
export async function beginConnectionLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  connectionId: string,
  deps: ConnectionLoginDeps,
): Promise<FastifyReply> {
  const { return_to: wanted, again: wantedAgain, test } = parseForm(queryOf(request.url))
  const given = returnPath(wanted)
  // Only a test returns to the path of one.
  const returnTo = pageOfTest(given) === undefined ? given : undefined
  if (test === 'yes') return beginTest(request, reply, { connectionId, back: returnTo ?? '/account' }, deps)
  const again = wantedAgain === 'yes'
  const session = await deps.sessions.any(request)
  // The login would end the session if the provider says that they are somebody else.
  if (session && followsForeignLink(request, deps.issuer)) {
    const href = loginAddress(returnTo, { provider: connectionId, again })
    return askToLogIn(reply, session, { connectionId, href }, deps)
  }
  const demands = await demandsOf(session, returnTo, deps)
  const login = { connectionId, returnTo, ...demands, again: demands.again || again, ipAddress: request.ip }
  const { outcome, name } = await begin({ ...login, purpose: LoginPurpose.LOGIN_PURPOSE_UNSPECIFIED }, deps)
  if (outcome?.$case === 'begun') return sendToProvider(request, reply, outcome.value, 302, deps)
  const problem = explainConnectionProblem(kindOf(outcome?.value), name)
  return showProblem(request, reply, problem, toLogin(returnTo))
}

async function askToLogIn(
  reply: FastifyReply,
  session: AnySession,
  { connectionId, href }: { connectionId: string; href: string },
  { connectionService }: Pick<ConnectionLoginDeps, 'connectionService'>,
): Promise<FastifyReply> {
  const { offer } = await connectionService.getOffer({ connectionId })
  if (offer === undefined) throw unknownProvider()
  const { continueAt: stayHref } = continuing(session, undefined, undefined)
  const content = { name: offer.name, href, stayHref, loggedInAs: session.user.username }
  return sendPage(reply, 'connection-login', content)
}

/**
 * Begins the link of an account to that of a session's user.
 * @param wanted.waiting the path at which a waiting authorization request continues afterwards; undefined for none
 * @returns where to send the browser; or the kind of the problem, and the connection's name
 */
export async function beginLink(
  {
    waiting,
    ...wanted
  }: { connectionId: string; sessionSecret: string; ipAddress: string; waiting: string | undefined },
  deps: Pick<ConnectionLoginDeps, 'connectionService'>,
): Promise<{ begun: BegunLogin } | { problem: LoginProblemKind; name: string }> {
  const link = { ...wanted, purpose: LoginPurpose.LOGIN_PURPOSE_LINK }
  const { outcome, name } = await begin({ ...link, returnTo: connectedPage(waiting), again: false }, deps)
  return outcome?.$case === 'begun' ? { begun: outcome.value } : { problem: kindOf(outcome?.value), name }
}

async function beginTest(
  request: FastifyRequest,
  reply: FastifyReply,
  { connectionId, back }: { connectionId: string; back: string },
  deps: ConnectionLoginDeps,
): Promise<FastifyReply> {
  const session = await deps.sessions.any(request)
  if (session === undefined) return reply.redirect(loginAddress(testAddress(connectionId, back)))
  const purpose = LoginPurpose.LOGIN_PURPOSE_TEST
  const tested = { connectionId, sessionSecret: session.secret, purpose, ipAddress: request.ip }
  const returnTo = begunTest(connectionId, back)
  const { outcome, name } = await begin({ ...tested, returnTo, again: false }, deps)
  if (outcome?.$case === 'begun') return sendToProvider(request, reply, outcome.value, 302, deps)
  const kind = kindOf(outcome?.value)
  // Nobody who may not try it learns which connections there are.
  if (notTheirs.has(kind)) throw unknownProvider()
  const user = pageUserOf(session)
  return showLoginTest(reply, { user, connection: name, connectionId, back, outcome: problemOf(outcome) })
}

const notTheirs: ReadonlySet<LoginProblemKind> = new Set([
  LoginProblemKind.LOGIN_PROBLEM_KIND_SESSION,
  LoginProblemKind.LOGIN_PROBLEM_KIND_NO_CONNECTION,
])

type Beginning = Parameters<ConnectionLoginDeps['connectionService']['beginLogin']>[0]

function begin(login: Beginning, { connectionService }: Pick<ConnectionLoginDeps, 'connectionService'>) {
  return connectionService.beginLogin(login, { deadline: Date.now() + providerPatience })
}

/** Sends a browser to a provider, with the secret that binds it to what began. */
export function sendToProvider(
  request: FastifyRequest,
  reply: FastifyReply,
  { authorizationUrl, browserSecret, expiresIn }: BegunLogin,
  status: 302 | 303,
  { browsers }: Pick<ConnectionLoginDeps, 'browsers'>,
): FastifyReply {
  browsers.remember(request, reply, browserSecret, expiresIn)
  return reply.redirect(authorizationUrl, status)
}

/** The demands of a waiting authorization request on the login. They come from the token service, so that no browser can drop them. */
async function demandsOf(
  session: AnySession | undefined,
  returnTo: string | undefined,
  { tokens }: Pick<ConnectionLoginDeps, 'tokens'>,
) {
  const flowId = flowAt(returnTo)
  if (flowId === undefined) return { again: false }
  const waiting = await waitingAuthorization({ flowId, session }, { tokens })
  const { loginReason, promptLogin = false, maxAge, loginHint } = waiting
  return { again: promptLogin || loginReason === LoginReason.LOGIN_REASON_AGAIN, maxAge, loginHint }
}

/** Finishes a login through a connection, a link, or a test, with the provider's answer. */
export async function finishConnectionLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  connectionId: string,
  deps: ConnectionLoginDeps,
): Promise<FastifyReply> {
  const finished = await deps.connectionService.finishLogin(
    { ...providerAnswer(request, deps), connectionId },
    { deadline: Date.now() + providerPatience },
  )
  const { outcome } = finished
  const returnTo = returnPath(finished.returnTo)
  if (outcome?.$case === 'login') return logIn(request, reply, { ...outcome.value, returnTo }, deps)
  if (outcome?.$case === 'pending')
    return askSecondFactor(reply, { pending: outcome.value, returnTo, status: 302 }, deps.pendingLogins)
  if (outcome?.$case === 'link') {
    const waiting = waitingAfter(returnTo)
    const query = new URLSearchParams({ done: 'connected', ...(waiting && { return_to: waiting }) })
    return reply.redirect(`${connectionsPage}?${query}`)
  }
  return showOutcome(request, reply, { connectionId, finished, returnTo }, deps)
}

function logIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, organizationId, returnTo }: FinishedLogin & { returnTo: string | undefined },
  { sessions }: Pick<ConnectionLoginDeps, 'sessions'>,
): FastifyReply {
  if (session === undefined) throw new Refusal('server_error')
  if (organizationId === undefined)
    return sendOn(request, reply, { session, returnTo, status: 302 }, sessions)
  sessions.beginAsMember(reply, session)
  return reply.redirect(returnTo ?? `${organizationsPage}/${organizationId}`)
}

/** Shows the result of a test, or why a login or a link failed. */
async function showOutcome(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    connectionId,
    finished: { outcome, name },
    returnTo,
  }: { connectionId: string; finished: FinishLoginResponse; returnTo: string | undefined },
  { sessions }: Pick<ConnectionLoginDeps, 'sessions'>,
): Promise<FastifyReply> {
  const back = pageOfTest(returnTo)
  if (outcome?.$case === 'test' || back !== undefined) {
    const session = await sessions.any(request)
    const user = session && pageUserOf(session)
    const shown = outcome?.$case === 'test' ? outcome : problemOf(outcome)
    return showLoginTest(reply, {
      ...{ user, connection: name, connectionId },
      ...{ back: back ?? '/account', outcome: shown },
    })
  }
  const { kind } = problemOf(outcome).value
  return showProblem(
    request,
    reply,
    explainConnectionProblem(kind, name),
    wayOn(kind, connectionId, returnTo),
  )
}

function problemOf(outcome: FinishLoginResponse['outcome'] | BeginLoginResponse['outcome']) {
  return outcome?.$case === 'problem'
    ? outcome
    : ({
        $case: 'problem',
        value: { kind: LoginProblemKind.LOGIN_PROBLEM_KIND_UNSPECIFIED },
      } as const)
}

function wayOn(kind: LoginProblemKind, connectionId: string, returnTo: string | undefined): WayOn {
  if (kind === LoginProblemKind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT)
    return toLogin(connectPage(connectionId, returnTo))
  // A link began there.
  if (returnTo?.split('?', 1)[0] === connectionsPage)
    return { href: returnTo, text: ({ connections }) => connections.own.heading }
  return toLogin(returnTo)
}

function kindOf(value: BegunLogin | { kind: LoginProblemKind } | undefined): LoginProblemKind {
  return value && 'kind' in value ? value.kind : LoginProblemKind.LOGIN_PROBLEM_KIND_UNSPECIFIED
}
