import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { answers, onlyWhere } from '@gatehouse/http/schemas'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { oneFactor, twoFactors } from '@gatehouse/proto/claims'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { languageTags } from '@gatehouse/proto/people/languages'
import { presentWith } from '@gatehouse/proto/profiles'
import { type AuthorizationStep, ConsentDecision } from '@gatehouse/proto/token/v1'
import { Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address, flag, optional, texts } from '../../endpoint/metadata.ts'
import { openidConnect, pushedRequests } from '../../endpoint/part.ts'
import { repeatByGet } from '../../http/repeat-by-get.ts'
import { html, pageForm, redirect } from '../../http/schemas.ts'
import type { TokenService } from '../../services/token-service.ts'
import { readAuthorization } from '../authorization/authorization.ts'
import {
  type AuthorizationStepDeps,
  authorizationOver,
  authorizingUser,
  continueAuthorization,
  sessionOver,
  takeStep,
  waitingAuthorization,
} from '../authorization/authorization-step.ts'
import { authorizationParameters } from '../authorization/parameters.ts'
import { pageRoute } from '../pages/page-route.ts'
import { continuationPath, loginAddress } from '../pages/return-to.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import { anySession, type BrowserSessions } from '../session/browser-session.ts'

/** The needs of the authorization endpoint. */
export type AuthorizeDeps = AuthorizationStepDeps & {
  tokens: Pick<TokenService, 'beginAuthorization'>
  /** OAUTH2_RESOURCE_INDICATORS is on. */
  resourceIndicators: boolean
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'grantConsent'>
  sessions: BrowserSessions
}

const path = '/oauth/authorize'
const query = Type.Object({
  ...authorizationParameters,
  request_uri: Type.Optional(
    Type.String(
      onlyWhere(
        pushedRequests.presence,
        'A request that was pushed (RFC 9126): then only it and client_id count.',
      ),
    ),
  ),
})

/**
 * GET /oauth/authorize (RFC 6749 section 4.1.1), GET /oauth/continue, which continues a request after a login, and POST
 * /oauth/consent, which takes the answer to the consent page.
 *
 * Errors that do not depend on the user are answered here. RFC 6749 section 4.1.2.1 sends some of them to the redirect
 * URI, but anybody may register a client, and redirecting a browser without asking its user would make this server an open
 * redirector (RFC 9700 section 4.11.2).
 */
export const authorizationEndpoint = endpoint({
  name: 'authorization',
  door: 'people',
  tag: 'OAuth',
  routes: authorizeRoutes,
  metadata: ({ issuer, clientMetadataDocuments }: { issuer: string; clientMetadataDocuments: boolean }) => ({
    authorization_endpoint: address(`${issuer}${path}`),
    response_types_supported: texts(['code']),
    code_challenge_methods_supported: texts(['S256']),
    authorization_response_iss_parameter_supported: flag(true, { description: 'RFC 9207.' }),
    client_id_metadata_document_supported: optional(
      flag(
        clientMetadataDocuments || undefined,
        onlyWhere(
          presentWith('OAUTH2_CLIENT_METADATA_DOCUMENTS'),
          'Whether a client_id may be the address of a client ID metadata document.',
        ),
      ),
    ),
  }),
})

function authorizeRoutes(app: App, deps: AuthorizeDeps): void {
  authorizeRoute(app, deps)
  continueRoute(app, deps)
  consentRoute(app, deps)
}

function authorizeRoute(app: App, deps: AuthorizeDeps): void {
  const { tokens, sessions } = deps
  app.route({
    method: 'GET',
    url: path,
    // The schema is documentation: the handler parses the query strictly and the token service validates it.
    attachValidation: true,
    config: { page: true, limit: 'authorize' },
    schema: {
      operationId: 'authorize',
      summary: 'Start the authorization code flow',
      querystring: query,
      response: answers(
        {
          200: html('A page that asks the user whether the client may have access.'),
          302: redirect(
            'A redirect to the redirect URI with `code`, `state` and `iss`, or to the login page.',
          ),
        },
        'invalid_request',
        'invalid_client',
        'unauthorized_client',
        'invalid_scope',
        'invalid_target',
      ),
    },
    async handler(request, reply) {
      const received = readAuthorization(queryOf(request.url), deps.resourceIndicators)
      const session = await sessions.any(request, received.request.clientId)
      const user = session && authorizingUser(session)
      // RFC 9110 section 9.3.2: HEAD is answered like GET. It stores nothing and issues no code.
      const dryRun = request.method === 'HEAD'
      const { next } = await tokens.beginAuthorization({ ...received, user, dryRun, ipAddress: request.ip })
      if (dryRun) return reply.code(isPage(next) ? 200 : 302).send()
      return takeStep(request, reply, { next, session, status: 302 }, deps)
    },
  })
}

/** Whether a page is shown for a step, and not a redirect. */
function isPage(next: AuthorizationStep | undefined): boolean {
  const step = next?.step
  if (step?.$case === 'respond') return step.value.formPost === true
  return step?.$case === 'askConsent' || step?.$case === 'chooseOrganization'
}

function continueRoute(app: App, deps: AuthorizeDeps): void {
  const { sessions } = deps
  pageRoute(app, {
    url: '/oauth/continue',
    exposeHeadRoute: false,
    async handler(request, reply) {
      const { flow: flowId = '', account } = parseForm(queryOf(request.url))
      const { clientId } = await waitingAuthorization({ flowId, session: undefined }, deps)
      const session = await sessions.any(request, clientId)
      if (session === undefined) return reply.redirect(loginAddress(continuationPath(flowId)))
      const accountChosen = account === session.sessionId
      return continueAuthorization(request, reply, { flowId, session, accountChosen, status: 302 }, deps)
    },
  })
}

function consentRoute(app: App, deps: AuthorizeDeps): void {
  const { identity, sessions } = deps
  app.route({
    method: 'POST',
    url: '/oauth/consent',
    config: { page: true },
    // The decision is `allow` or `deny`. A question can be answered once.
    schema: pageForm('question', 'decision'),
    async handler(request, reply) {
      const { question: text = '', decision } = request.body
      if (decision !== 'allow' && decision !== 'deny') {
        throw new TranslatedRefusal('invalid_request', (t) => t.consent.noDecision)
      }
      const sessionSecret = sessions.secretOf(request)
      if (sessionSecret === undefined) throw sessionOver()
      const question = deps.questions.read(text)
      if (question === undefined) throw authorizationOver()
      const { flowId, clientId, scope: agreedScope, organizationId = null } = question
      request.clientId = clientId
      const allow = async () => {
        // Else a page that asked for a client that was deleted since would count for the next client with its id.
        await waitingAuthorization({ flowId, session: undefined }, deps)
        const { session } = await identity.grantConsent({ ...question, sessionSecret })
        return anySession(session, sessionSecret, undefined)
      }
      const session = await (decision === 'allow' ? allow() : sessions.any(request))
      if (session === undefined) {
        request.continuation = continuationPath(flowId)
        throw sessionOver()
      }
      if (session.sessionId !== question.sessionId) throw authorizationOver()
      const answer = { decision: decisions[decision], agreedScope, organizationId }
      return continueAuthorization(request, reply, { flowId, session, ...answer, status: 303 }, deps)
    },
  })
}

/** The needs of authorization requests of OpenID Connect. */
type OpenidRequestDeps = {
  /** Whether clients may ask for the response mode form_post. */
  formPost: boolean
}

/**
 * Authorization requests of OpenID Connect: POST /oauth/authorize (OpenID Connect Core section 3.1.2.1), as a form of another site,
 * and the parameters that count (OpenID Connect Discovery section 3).
 */
export const openidRequests = endpoint({
  name: 'authorization by a form',
  door: 'other sites',
  part: openidConnect,
  tag: 'OpenID Connect',
  limit: 'authorize',
  routes: authorizeByPost,
  metadata: ({ formPost }: OpenidRequestDeps) => ({
    response_modes_supported: texts(formPost ? ['query', 'form_post'] : ['query']),
    acr_values_supported: texts([oneFactor, twoFactors]),
    prompt_values_supported: texts(['none', 'login', 'consent', 'select_account']),
    ui_locales_supported: texts(languageTags),
    claims_parameter_supported: flag(true),
    request_parameter_supported: flag(false),
    request_uri_parameter_supported: flag(false),
  }),
})

function authorizeByPost(app: App): void {
  app.route({
    method: 'POST',
    url: path,
    config: { page: true },
    schema: {
      operationId: 'authorizeByForm',
      summary: 'Start the authorization code flow by a form',
      consumes: ['application/x-www-form-urlencoded'],
      body: Type.Object({}, { additionalProperties: true, description: 'The parameters of GET.' }),
      response: answers({ 303: redirect('A redirect to the same request by GET.') }, 'invalid_request'),
    },
    handler: async (request, reply) => repeatByGet(request, reply, path),
  })
}

const decisions = {
  allow: ConsentDecision.CONSENT_DECISION_ALLOWED,
  deny: ConsentDecision.CONSENT_DECISION_DENIED,
} as const
