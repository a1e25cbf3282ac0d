import { Refusal } from '@gatehouse/kit/errors'
import { decideOrganization, type OrganizationOfRequest } from '../organizations/organization-of-request.ts'
import { type Organization, organizationModeOf } from '../organizations/organizations.ts'
import { organizationsOfLogins } from './acting-login.ts'
import type { AuthorizationRequestDeps, JudgedRequest } from './authorization-request.ts'
import { type AuthorizingUser, type NextStep, nextStep, type UserAnswers } from './next-step.ts'

/** The needs of deciding. */
type Deps = Pick<AuthorizationRequestDeps, 'authority'>

/** The user of a request, and what they answered so far. */
type Answering = {
  /** undefined when nobody is logged in. */
  user: AuthorizingUser | undefined
  answers: UserAnswers
}

/** The next step of a request, which names its organization by now. */
export type DecidedStep = { request: JudgedRequest; next: NextStep; organization: OrganizationOfRequest }

/**
 * Decides the next step of a request by its user's login, organization and consent.
 * @param judged begunAt: when it began, by the database's clock
 * @throws Refusal temporarily_unavailable
 */
export async function decideLogin(
  judged: JudgedRequest & { begunAt: Date | undefined },
  { user, answers }: Answering,
  { authority }: Deps,
): Promise<DecidedStep> {
  const { client, namedOrganization: named, grant } = judged
  const organization = await decideOrganization(
    { client, named },
    {
      userId: user?.userId,
      onlyIn: user && organizationsOfLogins(user.logins),
      choice: answers.organizationChoice,
    },
    authority.organizations,
  )
  const organizationId = organization.state === 'in' ? organization.membership.organizationId : undefined
  const request = { ...judged, grant: { ...grant, organizationId } }
  return { request, organization, next: nextStep({ ...request, organization }, user, answers) }
}

/**
 * The same, and by roles: once login and organization are known and before anything is answered or asked, so that nobody consents to what
 * they cannot have.
 * @throws Refusal temporarily_unavailable
 */
export async function decideStep(
  judged: JudgedRequest & { begunAt: Date | undefined },
  answering: Answering,
  deps: Deps,
): Promise<DecidedStep> {
  const decided = await decideLogin(judged, answering, deps)
  const { user, answers } = answering
  const { step } = decided.next
  const isDecided = step !== 'respond' && step !== 'ask_consent'
  if (user === undefined || isDecided || answers.decision === 'denied') return decided
  const { client, target, grant } = decided.request
  const acting = { client, userId: user.userId, organizationId: grant.organizationId }
  if (await deps.authority.judge(acting, target, grant.scope)) return decided
  const refusal = new Refusal('access_denied', 'The user has no role that gives this scope.')
  return { ...decided, next: { step: 'refuse', refusal } }
}

/**
 * The organization that a client named, for the page on which users log in: everybody sees its name there, whether they are a member or not.
 * Only an administrator makes a client know organizations.
 * @returns undefined for none, for one that does not exist or is disabled, and for a client that knows none
 * @throws Refusal temporarily_unavailable
 */
export async function namedOrganization(
  { client, namedOrganization: named }: JudgedRequest,
  { authority: { organizations } }: Deps,
): Promise<Organization | undefined> {
  if (named === undefined || organizationModeOf(client, organizations) === 'off') return undefined
  return organizations?.find(named)
}
