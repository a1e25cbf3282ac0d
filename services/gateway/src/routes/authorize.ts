import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { type CheckAuthorizationRequestResponse, ConsentRule } from '@gatehouse/proto/token/v1'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import {
  answerAddress,
  destinationOf,
  errorAnswer,
  formTarget,
  queryOf,
  type ReceivedAuthorization,
  readAuthorization,
} from '../authorization.ts'
import type { BrowserSession, BrowserSessions } from '../browser-session.ts'
import { shownName } from '../client-name.ts'
import { sendPage } from '../pages.ts'
import { noteRefusal } from '../requests.ts'
import { loginAddress, returnPath } from '../return-to.ts'
import { answers, html, oneOf, pageForm, redirect } from '../schemas.ts'
import { scopeInWords } from '../scopes.ts'
import type { TokenService } from '../token-service.ts'

/** What the authorization endpoint needs. */
export type AuthorizeDeps = {
  tokens: Pick<TokenService, 'checkAuthorizationRequest' | 'createAuthorizationCode'>
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getConsent' | 'askConsent' | 'answerConsent'>
  sessions: BrowserSessions
  issuer: string
}

const needed = (description: string) => Type.String({ minLength: 1, description })
const parameters = Type.Object({
  response_type: oneOf(['code']),
  client_id: needed('The client identifier.'),
  redirect_uri: needed('One that the client has registered.'),
  scope: Type.Optional(
    Type.String({ description: 'Space-separated. By default all that the client is registered for.' }),
  ),
  state: Type.Optional(Type.String({ description: 'Returned unchanged.' })),
  code_challenge: Type.String({
    pattern: '^[\\w-]{43}$',
    description: 'BASE64URL(SHA-256(code_verifier)), RFC 7636.',
  }),
  code_challenge_method: oneOf(['S256']),
})

/**
 * GET /oauth/authorize (RFC 6749 section 4.1.1), and POST /oauth/consent, the answer to the page that it may show.
 *
 * What can be judged without knowing the user is answered here, not at the redirect URI as RFC 6749 section 4.1.2.1
 * wants some of it: anybody may register a client, and sending a browser on without asking its user would make this
 * server an open redirector (RFC 9700 section 4.11.2).
 */
export function authorizeRoutes(app: App, deps: AuthorizeDeps): void {
  app.route({
    method: 'GET',
    url: '/oauth/authorize',
    // The parameters are read strictly and judged by the token service; the schema is for readers.
    attachValidation: true,
    config: { page: true, limit: 'authorize' },
    schema: {
      operationId: 'authorize',
      summary: 'Start the authorization code flow',
      tags: ['OAuth'],
      querystring: parameters,
      response: answers(
        {
          200: html('A page that asks the user whether the client may have access.'),
          302: redirect('To the redirect URI with `code`, `state` and `iss`, or to the login page.'),
        },
        'invalid_request',
        'invalid_client',
        'unauthorized_client',
        'invalid_scope',
      ),
    },
    async handler(request, reply) {
      const query = queryOf(request.url)
      const authorization = readAuthorization(query)
      const path = pathOf(query)
      const checked = await deps.tokens.checkAuthorizationRequest(authorization.request)
      request.clientId = checked.clientId
      const session = await deps.sessions.of(request)
      const askToLogIn = () => reply.redirect(loginAddress(path))
      if (session === undefined) return askToLogIn()
      const consented = await isConsentGiven(checked, session, deps)
      // RFC 9110 section 9.3.2: like GET, but for what only making the answer gives. No question and no code is made.
      if (request.method === 'HEAD') return reply.code(consented ? 302 : 200).send()
      if (!consented) {
        return askConsent(reply, authorization, query, checked, session, deps).catch((error: unknown) => {
          // The session ended since it was looked at.
          if (toRefusal(error).code === 'login_required') return askToLogIn()
          throw error
        })
      }
      const { scope, consent } = checked
      return answerWithCode(reply, 302, { ...withScope(authorization, scope), consent }, session, deps)
    },
  })

  app.route({
    method: 'POST',
    url: '/oauth/consent',
    config: { page: true },
    // The question is good for one answer; the decision is `allow` or `deny`.
    schema: pageForm('question', 'decision'),
    async handler(request, reply) {
      const { question = '', decision } = request.body
      if (decision !== 'allow' && decision !== 'deny') {
        throw new Refusal('invalid_request', 'The decision is missing: allow or deny.')
      }
      const session = await deps.sessions.of(request)
      if (session === undefined) throw new Refusal('login_required', sessionOver)
      const { sessionId } = session
      const allowed = decision === 'allow'
      const { answered } = await deps.identity.answerConsent({ sessionId, question, allowed })
      if (answered === undefined) throw new Refusal('invalid_request', answeredAlready)
      const authorization = readAuthorization(answered.authorizationQuery)
      request.clientId = authorization.request.clientId
      if (allowed) {
        const consent = ConsentRule.CONSENT_RULE_EACH_TIME
        const agreed = { ...withScope(authorization, answered.scope), consent }
        return answerWithCode(reply, 303, agreed, session, deps)
      }
      // While the page was open, the client may have been deleted: then nobody is sent there any more.
      await deps.tokens.checkAuthorizationRequest(authorization.request)
      const denial = new Refusal('access_denied', 'The user denied the request.')
      noteRefusal(request, denial)
      return reply.redirect(answerAddress(authorization, deps.issuer, errorAnswer(denial)), 303)
    },
  })
}

/**
 * The request's own address, however it was written, for the login page to come back to.
 * @throws Refusal invalid_request when it could not: an app learns that from its first request, not from a user who is lost
 */
function pathOf(query: string): string {
  const path = `/oauth/authorize?${query.replaceAll('\\', '%5C')}`
  const back = returnPath(path)
  if (back !== undefined) return back
  throw new Refusal(
    'invalid_request',
    'The request is too long to come back from the login page: shorten state.',
  )
}

/** With the scope that the user agreed to: what a request without one means may have grown meanwhile. */
function withScope(authorization: ReceivedAuthorization, scope: string): ReceivedAuthorization {
  return { ...authorization, request: { ...authorization.request, scope } }
}

const sessionOver = 'Your session ended while this page was open, so the app was given nothing.'
const answeredAlready =
  'This page was answered already or is too old. Go back to the app and start again if it still needs access.'

async function isConsentGiven(
  { clientId, scope, consent }: CheckAuthorizationRequestResponse,
  { user }: BrowserSession,
  { identity }: AuthorizeDeps,
): Promise<boolean> {
  if (consent === ConsentRule.CONSENT_RULE_NOT_NEEDED) return true
  if (consent !== ConsentRule.CONSENT_RULE_REMEMBERED) return false
  const given = await identity.getConsent({ userId: user.userId, clientId })
  const allowed = new Set(given.scope.split(' '))
  return scope.split(' ').every((word) => allowed.has(word))
}

async function askConsent(
  reply: FastifyReply,
  { request }: ReceivedAuthorization,
  authorizationQuery: string,
  { clientId, clientName, scope }: CheckAuthorizationRequestResponse,
  { sessionId, user }: BrowserSession,
  { identity }: AuthorizeDeps,
): Promise<FastifyReply> {
  const { question } = await identity.askConsent({ sessionId, clientId, scope, authorizationQuery })
  const { redirectUri } = request
  const content = {
    user,
    clientName: shownName({ clientId, clientName }),
    scopes: scopeInWords(scope),
    destination: destinationOf(redirectUri),
    question,
  }
  return sendPage(reply, 'consent', content, { formTargets: [formTarget(redirectUri)] })
}

/** From here on the user has agreed, so the client is told of failures at its redirect URI. */
async function answerWithCode(
  reply: FastifyReply,
  status: 302 | 303,
  authorization: ReceivedAuthorization & { consent: ConsentRule },
  { user, seenAt: grantedAt }: BrowserSession,
  { tokens, issuer }: AuthorizeDeps,
): Promise<FastifyReply> {
  const { request, consent } = authorization
  const { userId, username } = user
  const answer = await tokens.createAuthorizationCode({ request, userId, username, grantedAt, consent }).then(
    ({ code }) => ({ code }),
    (error: unknown) => {
      const refusal = toRefusal(error)
      const { code } = refusal
      // Anything else means that the client itself changed meanwhile, and its redirect URI is no longer to be trusted.
      if (code !== 'server_error' && code !== 'temporarily_unavailable') throw error
      // A client that changed in this very moment is nobody's fault.
      reply.log[code === 'server_error' ? 'error' : 'warn']({ err: error, code }, 'no code could be made')
      noteRefusal(reply.request, refusal)
      return errorAnswer(error)
    },
  )
  return reply
    .header('cache-control', 'no-store')
    .redirect(answerAddress(authorization, issuer, answer), status)
}
