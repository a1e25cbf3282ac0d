import type { Offer } from '@gatehouse/proto/connection/v1'
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
 * @param offers the connections that the page offers, which have the name of their organization
 * @returns undefined when they need not
 */
export function otherWayFor(
  session: AnySession | undefined,
  {
    waiting,
    returnTo,
    wanted,
    offers,
  }: {
    waiting: PendingAuthorization | undefined
    returnTo: string | undefined
    wanted: boolean
    offers: readonly Offer[]
  },
): PeoplePages['login']['otherWay'] {
  if (waiting) {
    if (waiting.loginReason !== LoginReason.LOGIN_REASON_OTHER_WAY) return undefined
    return { of: 'account', organization: waiting.organization?.name }
  }
  const organizationId = organizationAt(returnTo)
  const opens = session?.organizationsOnly !== true || returnTo === undefined || isIn(session, organizationId)
  if (session === undefined || !(wanted || !opens)) return undefined
  const own = offers.find((offer) => offer.organizationId === organizationId)
  return { of: 'page', organization: organizationId && own?.organizationName }
}

function isIn({ organizationLogins }: AnySession, organizationId: string | undefined): boolean {
  return organizationLogins?.logins.some((login) => login.organizationId === organizationId) === true
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
