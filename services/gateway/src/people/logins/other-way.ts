import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { Offer } from '@gatehouse/proto/connection/v1'
import type { OrganizationServiceService } from '@gatehouse/proto/organization/v1'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import { LoginReason, type PendingAuthorization } from '@gatehouse/proto/token/v1'
import { organizationsPage } from '../organizations/visit.ts'
import type { PeoplePages } from '../pages/contents/page-contents.ts'
import { continuationPath } from '../pages/return-to.ts'
import type { AnySession } from '../session/browser-session.ts'

/** The id of the organization to whose pages a path leads; undefined for any other path. */
export function organizationAt(path: string | undefined): string | undefined {
  const [before, id = ''] = path?.split(`${organizationsPage}/`) ?? []
  const [organizationId = ''] = id.split(/[/?]/)
  return before === '' && isOrganizationId(organizationId) ? organizationId : undefined
}

/**
 * Why somebody who is logged in must log in another way, as the login page says it.
 * @param wanted whether the page that they come from says so
 * @param nameOf the name of an organization, unless it is none of theirs
 * @returns undefined when they need not
 */
export async function otherWayFor(
  session: AnySession | undefined,
  {
    waiting,
    returnTo,
    wanted,
    nameOf,
  }: {
    waiting: PendingAuthorization | undefined
    returnTo: string | undefined
    wanted: boolean
    nameOf(session: AnySession, organizationId: string): Promise<string | undefined>
  },
): Promise<PeoplePages['login']['otherWay']> {
  if (waiting) {
    if (waiting.loginReason !== LoginReason.LOGIN_REASON_OTHER_WAY) return undefined
    const { organization } = waiting
    // They have logged in through it: that login lacks a factor.
    const of = isIn(session, organization?.organizationId) ? 'factors' : 'account'
    return { of, organization: organization?.name }
  }
  const organizationId = organizationAt(returnTo)
  const opens = session?.organizationsOnly !== true || returnTo === undefined || isIn(session, organizationId)
  if (session === undefined || !(wanted || !opens)) return undefined
  // Where they have logged in through it, the page wants another login, such as that of an owner.
  const isWanted = organizationId !== undefined && !isIn(session, organizationId)
  return { of: 'page', organization: isWanted ? await nameOf(session, organizationId) : undefined }
}

/**
 * Tells the names of organizations on the login page.
 * @param offers the connections that the page offers, which have the name of their organization
 * @returns a function that gives the name of an organization to its members who logged in by a way of the instance: the provider of one
 *   organization must not learn who is a member of another
 */
export function namingOwn(
  offers: readonly Offer[],
  {
    organizationService,
  }: { organizationService: Pick<RpcClient<typeof OrganizationServiceService>, 'findMemberships'> },
) {
  return async (session: AnySession, organizationId: string): Promise<string | undefined> => {
    const name = offers.find((offer) => offer.organizationId === organizationId)?.organizationName
    if (name === undefined || session.organizationsOnly) return undefined
    const question = { userId: session.user.userId, organization: organizationId }
    const { answers } = await organizationService.findMemberships({ questions: [question] })
    const isMember = answers[0]?.memberships.some((one) => one.organizationId === organizationId)
    return isMember ? name : undefined
  }
}

function isIn(session: AnySession | undefined, organizationId: string | undefined): boolean {
  return session?.organizationLogins?.logins.some((login) => login.organizationId === organizationId) === true
}

/** Where somebody who is logged in can continue. A session whose logins count in organizations alone opens no account page. */
export function continuing(
  session: AnySession | undefined,
  flowId: string | undefined,
  returnTo: string | undefined,
): Pick<PeoplePages['login'], 'continueAt' | 'toAccount'> {
  if (flowId !== undefined && session)
    return { continueAt: continuationPath(flowId, session.sessionId), toAccount: false }
  const [first] = session?.organizationsOnly ? (session.organizationLogins?.logins ?? []) : []
  const home = first ? `${organizationsPage}/${first.organizationId}` : '/account'
  return { continueAt: returnTo ?? home, toAccount: returnTo === undefined && first === undefined }
}
