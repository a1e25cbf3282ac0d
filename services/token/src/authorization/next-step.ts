import { Refusal } from '@gatehouse/kit/errors'
import { provedTwoFactors, scopesOfClaim } from '@gatehouse/proto/claims'
import { readConsentedScope } from '@gatehouse/proto/consented-scope'
import type { SessionLogins } from '@gatehouse/proto/logins'
import { consentScopeOf } from '../clients/resource-indicators.ts'
import type { ActingLogin } from '../openid/session-grant.ts'
import type { OrganizationChoice, OrganizationOfRequest } from '../organizations/organization-of-request.ts'
import { actingLogin } from './acting-login.ts'
import type { JudgedRequest } from './authorization-request.ts'

/** The scope that a user has allowed a client, as consents remember it; empty for none. */
export type ConsentedScope = {
  clientId: string
  scope: string
  /** The same in organizations; undefined for none. */
  inOrganizations?: { consents: readonly { organizationId: string; scope: string }[] } | undefined
}

/** A user who is logged in. */
export type AuthorizingUser = {
  userId: string
  username: string
  /** When the user was last seen logged in, by the database's clock. */
  seenAt: Date | undefined
  /** The scope that the user has already allowed a client, in no organization and in each. */
  consented: ConsentedScope | undefined
  sessionId: string
  sessionEndsAt: Date | undefined
  /** When and how they logged in: by the database's clock, or by that of the provider that says so. */
  logins: SessionLogins
  /** Whether they have a second factor that they have not proven in this session. It is nothing for logins by connections of organizations. */
  secondFactorUnproven?: boolean | undefined
  /** Whether this server demands two factors of them, which they have not proven in this session. The same goes for it. */
  secondFactorDue?: boolean | undefined
}

/** The user's answer to the consent page; undefined when they were not asked. */
export type ConsentDecision = 'allowed' | 'denied' | undefined

/** The answers of the user since the request began. */
export type UserAnswers = {
  decision?: ConsentDecision
  /** The scope that the consent page asked about, as consents remember it. */
  agreedScope?: string | undefined
  /** They chose to continue with the account that is logged in. */
  accountChosen?: boolean
  /** The organization that they chose, or to which they agreed; undefined when they did not yet. */
  organizationChoice?: OrganizationChoice | undefined
}

/**
 * Why the user must go to the login page; for `second_factor`, to the page that asks for that alone. `other_way`: none of their logins
 * counts in the organization, or in none.
 */
export type LoginReason = 'nobody' | 'again' | 'choose_account' | 'second_factor' | 'other_way'

/** The next step of an authorization request. */
export type NextStep =
  | { step: 'log_in'; reason: LoginReason }
  | { step: 'choose_organization' | 'ask_consent' }
  /** @param login the login that counts */
  | { step: 'respond'; login: ActingLogin }
  /** The client is told that it cannot be done. */
  | { step: 'refuse'; refusal: Refusal }

/** The part of a request that the step depends on, with the time when it began, by the database's clock. */
type StepRequest = Pick<
  JudgedRequest,
  'grant' | 'client' | 'target' | 'consent' | 'openid' | 'claimScopes'
> & {
  begunAt: Date | undefined
  organization: OrganizationOfRequest
}

/**
 * The next step of a request.
 * @param user undefined when nobody is logged in
 */
export function nextStep(
  request: StepRequest,
  user: AuthorizingUser | undefined,
  answers: UserAnswers,
): NextStep {
  const { openid } = request
  const silent = openid?.prompt.includes('none') === true
  const { organization } = request
  const logIn = (reason: LoginReason): NextStep =>
    silent ? refuse('login_required', 'The user must log in.') : { step: 'log_in', reason }
  if (user === undefined) return logIn('nobody')
  const login = actingLogin(user.logins, organization, demandsTwoFactors(request))
  if (login === undefined) return logIn('other_way')
  const reason = unsuitableLogin(request, { user, login }, answers) ?? lackOfFactors(request, { user, login })
  if (reason) return logIn(reason)
  if (openid?.expectedUser !== undefined && openid.expectedUser !== user.userId)
    return refuse('login_required', 'Another user than the expected one is logged in.')
  if (organization.state === 'refused') return { step: 'refuse', refusal: organization.refusal }
  if (organization.state === 'choose')
    return silent
      ? refuse('interaction_required', 'The user must choose an organization.')
      : { step: 'choose_organization' }
  if (!mustAskConsent(request, user, answers)) return { step: 'respond', login }
  return silent ? refuse('consent_required') : { step: 'ask_consent' }
}

function refuse(
  code: 'login_required' | 'consent_required' | 'interaction_required',
  description?: string,
): NextStep {
  return { step: 'refuse', refusal: new Refusal(code, description) }
}

/** A user, and their login that counts for the request. */
type LoggedIn = { user: AuthorizingUser; login: ActingLogin }

/**
 * Why the user must prove more factors now. An essential claim acr is a demand, as is that of an organization, also of users who must
 * enrol one first; otherwise a client only wants what the user can prove (OpenID Connect Core sections 3.1.2.1 and 5.5.1.1). The user's
 * own factors add nothing to a login by a connection of an organization, so another login must meet a demand.
 */
function lackOfFactors(
  { openid, organization }: StepRequest,
  { user, login }: LoggedIn,
): LoginReason | undefined {
  if (provedTwoFactors(login.methods)) return undefined
  const isInIt = organization.state === 'in'
  const isDemanded = demandsTwoFactors({ openid, organization })
  if (login.byOrganization) return isDemanded && isInIt ? 'other_way' : undefined
  const isWanted = openid?.twoFactors === 'wanted' && user.secondFactorUnproven === true
  return isDemanded || isWanted || user.secondFactorDue === true ? 'second_factor' : undefined
}

/** Whether the client or the organization demands two factors. */
function demandsTwoFactors({ openid, organization }: Pick<StepRequest, 'openid' | 'organization'>): boolean {
  const byOrganization = organization.state === 'in' && organization.membership.secondFactorRequired
  return byOrganization || openid?.twoFactors === 'required'
}

/** Why a login is not the one that the client wants. */
function unsuitableLogin(
  { openid, begunAt }: StepRequest,
  { user, login }: LoggedIn,
  { accountChosen = false, decision, organizationChoice }: UserAnswers,
): LoginReason | undefined {
  if (openid === undefined || begunAt === undefined || login.authenticatedAt === undefined) return undefined
  const { prompt, maxAge, expectedUser } = openid
  const sinceLogin = begunAt.getTime() - login.authenticatedAt.getTime()
  // They logged in for this request. A provider tells the time in whole seconds.
  if (sinceLogin <= (login.connectionId === undefined ? 0 : begunAt.getTime() % 1000)) return undefined
  if (prompt.includes('login')) return 'again'
  if (maxAge !== undefined && sinceLogin > maxAge * 1000) return 'again'
  if (expectedUser !== undefined && expectedUser !== user.userId) return 'again'
  // A page asks in a session only once its account was chosen.
  const isChosen = accountChosen || decision !== undefined || organizationChoice !== undefined
  return prompt.includes('select_account') && !isChosen ? 'choose_account' : undefined
}

function mustAskConsent(
  request: StepRequest,
  { consented }: AuthorizingUser,
  { decision, agreedScope: agreed, organizationChoice }: UserAnswers,
): boolean {
  const { client, target, consent, openid, organization } = request
  const organizationId = organization.state === 'in' ? organization.membership.organizationId : undefined
  const wanted = () => consentScopeOf(agreedScope(request), target)
  // Since the page was shown, the client may have got more scope, and the name that it sent may be that of another organization.
  if (decision !== undefined) {
    const isSame = organizationChoice?.organizationId === organizationId
    return decision === 'allowed' && !(isSame && includes(agreed ?? '', wanted()))
  }
  if (openid?.prompt.includes('consent')) return true
  if (consent === 'not_needed') return false
  if (consent === 'each_time' || consented?.clientId !== client.clientId) return true
  return !includes(consentedIn(consented, organizationId), wanted())
}

function consentedIn({ scope, inOrganizations }: ConsentedScope, organizationId: string | undefined): string {
  if (organizationId === undefined) return scope
  return inOrganizations?.consents.find((one) => one.organizationId === organizationId)?.scope ?? ''
}

/**
 * The scope that the user is asked about: the requested one, and the scope of the claims that are requested one by one (OpenID
 * Connect Core section 5.5). Such claims would otherwise be given without asking.
 * @returns space-separated
 */
export function agreedScope({
  client,
  grant: { scope },
  openid,
  claimScopes,
}: Pick<JudgedRequest, 'client' | 'grant' | 'openid' | 'claimScopes'>): string {
  const { userinfo = {}, id_token: idToken = {} } = openid?.claims ?? {}
  const may = new Set(client.scope.split(' '))
  const ofClaims = Object.keys({ ...userinfo, ...idToken }).flatMap((name) =>
    scopesOfClaim(name, claimScopes),
  )
  return [...new Set([...scope.split(' '), ...ofClaims.filter((one) => may.has(one))])].join(' ')
}

/** Whether a consent has everything that another one has. */
function includes(consented: string, wanted: string): boolean {
  const [has, needs] = [readConsentedScope(consented), readConsentedScope(wanted)]
  const covers = (allowed: ReadonlySet<string> | undefined, words: ReadonlySet<string>) =>
    [...words].every((word) => allowed?.has(word))
  const resources = [...needs.ofResources]
  return (
    covers(has.own, needs.own) && resources.every(([one, words]) => covers(has.ofResources.get(one), words))
  )
}
