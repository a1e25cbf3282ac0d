import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { answers } from '@gatehouse/http/schemas'
import type { Language } from '@gatehouse/proto/people/languages'
import type { CheckLogoutResponse } from '@gatehouse/proto/token/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address, flag } from '../../endpoint/metadata.ts'
import { openidConnect } from '../../endpoint/part.ts'
import { repeatByGet } from '../../http/repeat-by-get.ts'
import { html, pageForm, redirect } from '../../http/schemas.ts'
import type { TokenService } from '../../services/token-service.ts'
import { destinationOf, formTarget, withParameters } from '../authorization/authorization.ts'
import { shownName } from '../pages/client-name.ts'
import { languageOf } from '../pages/page-language.ts'
import { sendPage } from '../pages/pages.ts'
import type { Questions } from '../pages/questions.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { AnySession, BrowserSessions } from '../session/browser-session.ts'
import { type LogOutDeps, logOut } from '../session/log-out.ts'
import { textsIn } from '../texts/table.ts'

/** The needs of the logout endpoint. */
export type LogoutDeps = LogOutDeps & {
  tokens: Pick<TokenService, 'checkLogout'>
  sessions: BrowserSessions
  logoutQuestions: Questions<LogoutQuestion>
}

/** The question that a page asks a user: whether they want to log out, as a client's request says. */
export type LogoutQuestion = {
  sessionId: string
  /** The query of the client's request. */
  query: string
}

const text = (description: string) => Type.Optional(Type.String({ description }))
const parameters = Type.Object({
  id_token_hint: text('An ID token that the client got for the user; it may have expired.'),
  client_id: text('The client identifier.'),
  post_logout_redirect_uri: text(
    'Where the browser goes afterwards: one of the client’s `post_logout_redirect_uris`.',
  ),
  state: text('Returned unchanged.'),
  logout_hint: text('Accepted without effect.'),
  ui_locales: text('The languages that the user prefers (BCP 47), space-separated, for the page.'),
})
const path = '/oauth/logout'

/** GET /oauth/logout (OpenID Connect RP-Initiated Logout 1.0), and the form of its page. */
export const logoutEndpoint = endpoint({
  name: 'logout',
  door: 'people',
  part: openidConnect,
  tag: 'OpenID Connect',
  routes(app, deps: LogoutDeps) {
    logoutRoute(app, deps)
    answerRoute(app, deps)
  },
  // RP-Initiated Logout section 2.1, Back-Channel Logout section 2.1
  metadata: ({ issuer }: { issuer: string }) => ({
    end_session_endpoint: address(`${issuer}${path}`),
    backchannel_logout_supported: flag(true),
    backchannel_logout_session_supported: flag(true),
  }),
})

function logoutRoute(app: App, deps: LogoutDeps): void {
  app.route({
    method: 'GET',
    url: path,
    // The schema is documentation: the query is parsed strictly.
    attachValidation: true,
    exposeHeadRoute: false,
    config: { page: true },
    schema: {
      operationId: 'endSession',
      summary: 'Log the user of a browser out',
      querystring: parameters,
      response: answers(
        {
          200: html('A page that asks the user whether to log out, or says that they are logged out.'),
          302: redirect('A redirect to `post_logout_redirect_uri`, with the `state`.'),
        },
        'invalid_request',
      ),
    },
    async handler(request, reply) {
      const query = queryOf(request.url)
      const received = await receive(request, query, deps)
      const session = await deps.sessions.any(request)
      const { userId, sessionId } = received.checked
      const isTheirs = session && session.sessionId === sessionId && session.user.userId === userId
      // Anybody may have got hold of an ID token, so one of another session or user ends nothing without asking.
      if (session && !isTheirs) return askToLogOut(reply, { received, session, query }, deps)
      if (session) await endSession(reply, received, session, deps)
      return leave(reply, received, { status: 302, mayRedirect: session !== undefined })
    },
  })
}

function answerRoute(app: App, deps: LogoutDeps): void {
  app.route({
    method: 'POST',
    url: '/oauth/logout/answer',
    config: { page: true },
    // The decision is `log_out` or `stay`.
    schema: pageForm('question', 'decision'),
    async handler(request, reply) {
      const { question: asked = '', decision } = request.body
      const question = deps.logoutQuestions.read(asked)
      if (question === undefined) throw questionOver()
      if (decision === 'stay') return reply.redirect('/account', 303)
      if (decision !== 'log_out') throw new TranslatedRefusal('invalid_request', (t) => t.logout.noDecision)
      // Again, because the client may have changed since.
      const received = await receive(request, question.query, deps)
      const session = await deps.sessions.any(request)
      if (session && session.sessionId !== question.sessionId) throw questionOver()
      if (session) await endSession(reply, received, session, deps)
      // Without a session, this page says that the user is logged out.
      if (received.redirectUri === undefined)
        return reply.redirect(`${path}?ui_locales=${received.language}`, 303)
      return leave(reply, received, { status: 303, mayRedirect: true })
    },
  })
}

/** POST /oauth/logout (RP-Initiated Logout section 2), as a form of another site. */
export const logoutByForm = endpoint({
  name: 'logout by a form',
  door: 'other sites',
  part: openidConnect,
  tag: 'OpenID Connect',
  routes: logoutByPost,
})

function logoutByPost(app: App): void {
  app.route({
    method: 'POST',
    url: path,
    config: { page: true },
    schema: {
      operationId: 'endSessionByForm',
      summary: 'Log the user of a browser out by a form',
      consumes: ['application/x-www-form-urlencoded'],
      body: Type.Object({}, { additionalProperties: true, description: 'The parameters of GET.' }),
      response: answers({ 303: redirect('A redirect to the same request by GET.') }, 'invalid_request'),
    },
    handler: async (request, reply) => repeatByGet(request, reply, path),
  })
}

function questionOver(): TranslatedRefusal {
  return new TranslatedRefusal('invalid_request', (t) => t.logout.over)
}

/** A logout request that the token service has checked. */
type ReceivedLogout = {
  checked: CheckLogoutResponse
  /** A registered address; undefined when none was sent. */
  redirectUri: string | undefined
  state: string | undefined
  /** The language of its pages. */
  language: Language
}

async function receive(
  request: FastifyRequest,
  query: string,
  { tokens }: LogoutDeps,
): Promise<ReceivedLogout> {
  const form = parseForm(query)
  const sent = form.post_logout_redirect_uri
  const checked = await tokens.checkLogout({
    idTokenHint: form.id_token_hint,
    clientId: form.client_id,
    postLogoutRedirectUri: sent,
  })
  request.clientId = checked.clientId
  // Without a client nobody has registered the address: the ID token that names the client cannot be read any more.
  const redirectUri = checked.clientId === undefined ? undefined : sent
  const language = languageOf(request, form.ui_locales?.split(' '))
  return { checked, redirectUri, state: form.state, language }
}

function endSession(
  reply: FastifyReply,
  { checked }: ReceivedLogout,
  session: AnySession,
  deps: LogoutDeps,
): Promise<void> {
  return logOut(reply, { session, clientId: checked.clientId }, deps)
}

function askToLogOut(
  reply: FastifyReply,
  { received, session, query }: { received: ReceivedLogout; session: AnySession; query: string },
  { logoutQuestions }: LogoutDeps,
): FastifyReply {
  const { checked, redirectUri, language } = received
  const { clientId, clientName = '' } = checked
  const content = {
    username: session.user.username,
    clientName: clientId === undefined ? undefined : shownName({ clientId, clientName }),
    destination: redirectUri && destinationOf(redirectUri, textsIn(language)),
    question: logoutQuestions.write({ sessionId: session.sessionId, query }),
  }
  return sendPage(reply, 'logout', content, {
    language,
    formTargets: redirectUri ? [formTarget(redirectUri)] : [],
  })
}

/**
 * Redirects the browser to the client, or says that nobody is logged in. Without a session, only clients that an administrator
 * made get a redirect: anybody could otherwise use this server to redirect browsers to any address (RFC 9700 section 4.11.2).
 */
function leave(
  reply: FastifyReply,
  { checked, redirectUri, state, language }: ReceivedLogout,
  { status, mayRedirect }: { status: 302 | 303; mayRedirect: boolean },
): FastifyReply {
  if (redirectUri === undefined) return sendPage(reply, 'logged-out', { next: undefined }, { language })
  const address = withParameters(redirectUri, state === undefined ? {} : { state })
  if (mayRedirect || checked.redirectsUnasked) return reply.redirect(address, status)
  const next = { href: address, destination: destinationOf(redirectUri, textsIn(language)) }
  return sendPage(reply, 'logged-out', { next }, { language })
}
