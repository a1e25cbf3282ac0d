import { Refusal } from '@gatehouse/kit/errors'
import { hostOfDocumentClientId, isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { Language } from '@gatehouse/proto/people/languages'
import {
  type AuthorizationResponse,
  type AuthorizationStep,
  type AuthorizingUser,
  ConsentDecision,
  LoginReason,
  type PendingAuthorization,
} from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteRefusal } from '../../http/requests.ts'
import type { TokenService } from '../../services/token-service.ts'
import { clientAddresses } from '../pages/client-addresses.ts'
import { shownName } from '../pages/client-name.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageUserOf } from '../pages/page-user.ts'
import { sendPage } from '../pages/pages.ts'
import { continuationPath, loginAddress, secondFactorAddress } from '../pages/return-to.ts'
import { scopeInWords } from '../pages/scopes.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { AnySession } from '../session/browser-session.ts'
import { textsIn } from '../texts/table.ts'
import { answerAddress, answerParameters, destinationOf, formTarget } from './authorization.ts'
import type { ConsentQuestions } from './consent-question.ts'
import { sendFormPost } from './form-post.ts'
import { askOrganization, type OrganizationQuestions } from './organization-question.ts'

/** The needs of the steps of an authorization request. */
export type AuthorizationStepDeps = {
  tokens: Pick<TokenService, 'getAuthorization' | 'continueAuthorization'>
  questions: ConsentQuestions
  organizationQuestions: OrganizationQuestions
  /** Whether organizations are on. */
  organizations: boolean
  issuer: string
}

/** The refusal that users read when their authorization request is unknown, expired or answered. */
export function authorizationOver(): Refusal {
  return new TranslatedRefusal('invalid_request', (t) => t.consent.over)
}

/** The refusal that users read when their session ended while they were asked. */
export function sessionOver(): Refusal {
  return new TranslatedRefusal('login_required', (t) => t.consent.sessionOver)
}

/**
 * Gets an authorization request that waits for its user.
 * @param session undefined when nobody is logged in
 * @throws Refusal invalid_request when the request is unknown, expired or answered, or the refusal that the client gets now
 */
export async function waitingAuthorization(
  { flowId, session }: { flowId: string; session: AnySession | undefined },
  { tokens }: Pick<AuthorizationStepDeps, 'tokens'>,
): Promise<PendingAuthorization> {
  const { authorization } = await tokens.getAuthorization({
    flowId,
    user: session && authorizingUser(session),
  })
  if (authorization === undefined) throw authorizationOver()
  return authorization
}

/**
 * Continues a waiting authorization request: tells the token service what the user did and takes the next step.
 * @param decision the user's answer to the consent page; absent when they were not asked
 * @param organizationId the organization that they chose, or to which they agreed; null for none, absent when they were not asked
 * @param accountChosen whether they chose to continue with the account that is logged in
 */
export async function continueAuthorization(
  request: FastifyRequest,
  reply: FastifyReply,
  { flowId, session, status, ...answers }: Continuation,
  deps: AuthorizationStepDeps,
): Promise<FastifyReply> {
  const user = authorizingUser(session)
  const {
    decision = ConsentDecision.CONSENT_DECISION_UNSPECIFIED,
    accountChosen = false,
    agreedScope,
    organizationId,
  } = answers
  const organizationChoice =
    organizationId === undefined ? undefined : { organizationId: organizationId ?? '' }
  const answer = {
    ...{ flowId, user, decision, accountChosen, agreedScope, organizationChoice },
    afterForm: status === 303,
  }
  const { next } = await deps.tokens.continueAuthorization(answer)
  return takeStep(request, reply, { next, session, status }, deps)
}

/** A user's answers, with which an authorization request continues. */
type Continuation = Pick<Step, 'status'> & {
  flowId: string
  session: AnySession
  decision?: ConsentDecision
  /** The scope that the consent page asked about. */
  agreedScope?: string
  organizationId?: string | null
  accountChosen?: boolean
}

/** The user of a session, as the token service needs them. It picks the login that counts. */
export function authorizingUser(session: AnySession): AuthorizingUser {
  const { user, seenAt, consented, sessionId, expiresAt: sessionEndsAt, organizationLogins } = session
  const { userId, username } = user
  const shared = { username, seenAt, consented, sessionId, sessionEndsAt, organizationLogins }
  if (session.organizationsOnly)
    return { ...shared, userId: '', memberId: userId, authenticatedAt: undefined, methods: [] }
  const { authenticatedAt, methods, connectionId, secondFactorUnproven, secondFactorDue } = session
  return { ...shared, userId, authenticatedAt, methods, connectionId, secondFactorUnproven, secondFactorDue }
}

/**
 * Takes the next step of an authorization request: redirects the browser to the login page or the client, or asks the
 * user for an organization or for consent. After a form it redirects to the page that asks.
 * @param status the status of a redirect: 303 after a form
 */
export async function takeStep(
  request: FastifyRequest,
  reply: FastifyReply,
  { next, session, status }: Step,
  deps: Omit<AuthorizationStepDeps, 'tokens'>,
): Promise<FastifyReply> {
  const step = next?.step
  request.clientId = step?.value.clientId
  if (step?.$case === 'respond') return respond(request, reply, { response: step.value, status }, deps)
  if ((step?.$case === 'askConsent' || step?.$case === 'chooseOrganization') && session) {
    // A page that answered the form would send it again, with its password, when it is reloaded.
    if (status === 303) return reply.redirect(continuationPath(step.value.flowId), status)
    return step.$case === 'askConsent'
      ? askConsent(reply, step.value, session, deps)
      : askOrganization(reply, step.value, session, deps.organizationQuestions)
  }
  if (step?.$case !== 'logIn') throw new Error('the token service gave no next step')
  const { flowId, loginReason } = step.value
  const returnTo = continuationPath(flowId)
  const lacksFactor =
    session?.organizationsOnly === false && loginReason === LoginReason.LOGIN_REASON_SECOND_FACTOR
  return reply.redirect(
    lacksFactor ? secondFactorAddress(returnTo, 'session') : loginAddress(returnTo),
    status,
  )
}

/** A step to take. */
export type Step = {
  next: AuthorizationStep | undefined
  /** Undefined when nobody is logged in. */
  session: AnySession | undefined
  status: 302 | 303
}

function askConsent(
  reply: FastifyReply,
  pending: PendingAuthorization,
  session: AnySession,
  { questions, organizations }: Pick<AuthorizationStepDeps, 'questions' | 'organizations'>,
): FastifyReply {
  const { flowId, clientId, scope, redirectUri, resources, loopbackRedirectsOnly, uiLocales } = pending
  const { sessionId, attributes } = session
  const clientName = shownName(pending)
  const described = isDocumentClientId(clientId)
  const language = languageOf(reply.request, uiLocales?.split(' '))
  const texts = textsIn(language)
  const addresses = clientAddresses(pending, described)
  const own = ownScope(scope, resources)
  const content = {
    user: pageUserOf(session),
    clientName,
    initial: initialOf(clientName, language),
    addresses,
    selfRegistered: pending.selfRegistered && !described,
    documentHost: described ? hostOfDocumentClientId(clientId) : undefined,
    anyProgram: described && loopbackRedirectsOnly === true,
    scopes: scopeInWords(own, texts, organizations, attributes?.names),
    resources: resources.map(({ name, identifier, descriptions }) => ({
      name,
      identifier,
      scopes: descriptions,
    })),
    destination: destinationOf(redirectUri, texts),
    organization: pending.organization,
    question: questions.write({
      ...{ flowId, sessionId, clientId, scope: pending.consentScope, clientName },
      organizationId: pending.organization?.organizationId,
    }),
  }
  return sendPage(reply, 'consent', content, {
    language,
    organization: pending.organization,
    formTargets: [formTarget(redirectUri)],
    pictures: addresses.logo ? [addresses.logo.origin] : [],
  })
}

/** The first letter of a name, as people see letters. */
function initialOf(name: string, language: Language): string {
  const [first] = new Intl.Segmenter(language).segment(name)
  return (first?.segment ?? '').toLocaleUpperCase(language)
}

/** The scopes that none of the resource servers has defined. */
function ownScope(scope: string, resources: PendingAuthorization['resources']): string {
  const theirs = new Set(resources.flatMap((resource) => resource.scope.split(' ')))
  const own = scope.split(' ').filter((word) => !theirs.has(word))
  return own.join(' ')
}

/** Sends the browser to the client with the code, or with the error (RFC 6749 section 4.1.2.1). */
function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  { response, status }: { response: AuthorizationResponse; status: 302 | 303 },
  { issuer }: Pick<AuthorizationStepDeps, 'issuer'>,
): FastifyReply {
  const { outcome } = response
  const sent = () => {
    if (outcome?.$case === 'code') return { code: outcome.value }
    if (outcome === undefined) throw new Error('the token service gave no answer for the client')
    const { code, description } = outcome.value
    noteRefusal(request, new Refusal(code as Refusal['code'], description))
    return { error: code, error_description: description }
  }
  if (!response.formPost) return reply.redirect(answerAddress(response, issuer, sent()), status)
  const fields = answerParameters(response, issuer, sent())
  return sendFormPost(reply, response.redirectUri, fields)
}
