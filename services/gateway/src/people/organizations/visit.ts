import { actorMessage } from '@gatehouse/kit/actor'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { provedTwoFactors } from '@gatehouse/proto/claims'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { type CountingLogin, countingLogin } from '@gatehouse/proto/logins'
import {
  type DomainServiceService,
  type InvitationServiceService,
  MemberRole,
  type Membership,
  type OrganizationServiceService,
} from '@gatehouse/proto/organization/v1'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import type { Language } from '@gatehouse/proto/people/languages'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../../http/caller.ts'
import { mustProve } from '../account/proven-session.ts'
import { wayOfWriting } from '../account/way-of-writing.ts'
import { languageOf } from '../pages/page-language.ts'
import { type PageUser, pageUserOf } from '../pages/page-user.ts'
import { loginAddress, secondFactorAddress } from '../pages/return-to.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { AnySession, BrowserSession, BrowserSessions } from '../session/browser-session.ts'
import { type Texts, textsIn } from '../texts/table.ts'
import { timesIn } from '../texts/time.ts'

/** The services about organizations. */
export type OrganizationServices = RpcClient<typeof OrganizationServiceService> &
  RpcClient<typeof InvitationServiceService> &
  RpcClient<typeof DomainServiceService>

/** The needs of every page of an organization. */
export type VisitDeps<Calls extends keyof OrganizationServices = never> = {
  organizationService: Pick<OrganizationServices, Calls | 'findMemberships'>
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser'>
  sessions: BrowserSessions
}

/** Somebody at their pages, and how these are written for them. */
export type Visit<Kind extends AnySession = BrowserSession> = {
  session: Kind
  language: Language
  texts: Texts
  time(date: Date): string
}

/** A member at a page of their organization. Their session may have no login that counts anywhere else. */
export type MemberVisit = Visit<AnySession> & {
  membership: Membership
  /** The login that counts in the organization. */
  login: VisitLogin
  /** The path of the pages of the organization. */
  path: string
  /** How a change of theirs is made: for the organization, in their name. */
  change: ReturnType<typeof changeBy>
}

/** The page of all organizations of somebody. */
export const organizationsPage = '/account/organizations'

/** Those who may see a page, from the ones who may do most. */
const ranks: readonly MemberRole[] = [
  MemberRole.MEMBER_ROLE_OWNER,
  MemberRole.MEMBER_ROLE_ADMIN,
  MemberRole.MEMBER_ROLE_MEMBER,
]

/**
 * Acts for the user of a session who has proven their second factor, if they have one. Otherwise the browser goes to the login page or
 * to that of the second factor, and from there back.
 */
export async function withVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  { identity, sessions }: Pick<VisitDeps, 'identity' | 'sessions'>,
  act: (visit: Visit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { page, status } = comingFrom(request, reply)
  const session = await sessions.of(request)
  if (session === undefined) return reply.redirect(loginAddress(page), status)
  if (mustProve(session)) return reply.redirect(secondFactorAddress(page, 'session'), status)
  return act(await visitOf(request, session, identity))
}

/** The page to which somebody comes back after a login, and the status of the redirect to it. */
function comingFrom(request: FastifyRequest, reply: FastifyReply, formPage = organizationsPage) {
  reply.header('cache-control', 'no-store')
  // A form was sent from its page, to which they go back then.
  return request.method === 'GET'
    ? ({ page: request.url, status: 302 } as const)
    : ({ page: formPage, status: 303 } as const)
}

/** Reads how pages are written for the user of a session. */
export async function visitOf<Kind extends AnySession>(
  request: FastifyRequest,
  session: Kind,
  identity: VisitDeps['identity'],
): Promise<Visit<Kind>> {
  const { user } = await identity.getUser({ userId: session.user.userId })
  const { locale, zoneinfo } = wayOfWriting(user?.attributes ?? {})
  const language = languageOf(request, [locale])
  return { session, language, texts: textsIn(language), time: timesIn(language, zoneinfo) }
}

/**
 * Acts for a member of the organization that the path names. A login of theirs must count there: otherwise the browser goes to the login
 * page, and from there back.
 * @param least what they must be in it at least
 * @throws Refusal not_found for what is no organization of theirs; access_denied for a page that they may not see
 */
export async function withMembership(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: VisitDeps,
  least: 'member' | 'admin' | 'owner',
  act: (visit: MemberVisit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { organizationId = '' } = request.params as { organizationId?: string }
  if (!isOrganizationId(organizationId)) return withVisit(request, reply, deps, noSuchOrganization)
  const path = `${organizationsPage}/${organizationId}`
  const { page, status } = comingFrom(request, reply, path)
  const session = await deps.sessions.any(request)
  if (session === undefined) return reply.redirect(loginAddress(page), status)
  const other = () => reply.redirect(loginAddress(page, { otherWay: true }), status)
  const first = loginIn(session, organizationId, false)
  // Before the membership is read: the provider of one organization must not learn who is a member of another.
  if (first === undefined) return other()
  if (!session.organizationsOnly && !first.byConnection && mustProve(session))
    return reply.redirect(secondFactorAddress(page, 'session'), status)
  const found = await membershipOf(session.user.userId, organizationId, deps)
  if (found === undefined) throw unknownOrganization
  const login = loginIn(session, organizationId, found.ssoRequired === true)
  if (login === undefined) return other()
  const membership = roleBy(login, found)
  request.continuation = path
  if (least === 'owner' && membership !== found) {
    request.continuation = loginAddress(page, { otherWay: true })
    throw new TranslatedRefusal('access_denied', (t) => t.organizations.ownersOtherWay)
  }
  const rank = ranks.indexOf(membership.role)
  if (least === 'owner' && rank > 0)
    throw new TranslatedRefusal('access_denied', (t) => t.organizations.ownersOnly)
  if (least === 'admin' && rank > 1)
    throw new TranslatedRefusal('access_denied', (t) => t.organizations.notAllowed)
  // A member who runs an organization acts in it.
  if (least !== 'member' && membership.secondFactorRequired && !provedTwoFactors(login.methods)) {
    request.continuation = undefined
    throw new TranslatedRefusal('access_denied', (t) => t.organizations.secondFactor)
  }
  const visit = await visitOf(
    request,
    withHome(session, { href: path, name: membership.name }),
    deps.identity,
  )
  return act({ ...visit, membership, login, path, change: changeBy(request, session, login, organizationId) })
}

/** A session for the pages of an organization. Their head leads there, where the login opens neither the account nor the administration. */
function withHome(session: AnySession, home: NonNullable<PageUser['home']>): AnySession {
  if (!session.organizationsOnly) return session
  const user = { ...session.user, ...pageUserOf(session), home }
  return { ...session, user }
}

const unknownOrganization = new TranslatedRefusal('not_found', (t) => t.organizations.unknown)

async function noSuchOrganization(): Promise<FastifyReply> {
  throw unknownOrganization
}

/** The login of a session that counts in an organization. */
export type VisitLogin = CountingLogin & {
  /** Whether it came by a connection of the organization: then an owner acts as an admin. */
  byConnection: boolean
}

function loginIn(session: AnySession, organizationId: string, ssoRequired: boolean): VisitLogin | undefined {
  const own = session.organizationsOnly
    ? undefined
    : {
        authenticatedAt: session.authenticatedAt,
        methods: session.methods,
        connectionId: session.connectionId,
      }
  const ofOrganizations = session.organizationLogins?.logins ?? []
  const login = countingLogin({ own, ofOrganizations }, { organizationId, ssoRequired })
  return login && { ...login, byConnection: login !== own }
}

/** A membership as it counts after a login: the organization's own provider could make anybody its owner. */
function roleBy({ byConnection }: VisitLogin, membership: Membership): Membership {
  return byConnection && membership.role === MemberRole.MEMBER_ROLE_OWNER
    ? { ...membership, role: MemberRole.MEMBER_ROLE_ADMIN }
    : membership
}

async function membershipOf(
  userId: string,
  organization: string,
  { organizationService }: VisitDeps,
): Promise<Membership | undefined> {
  const { answers } = await organizationService.findMemberships({ questions: [{ userId, organization }] })
  return answers[0]?.memberships.find(({ organizationId }) => organizationId === organization)
}

/** The fields of a change that a member makes for their organization. */
function changeBy(
  request: FastifyRequest,
  { user: { userId, username } }: AnySession,
  { byConnection }: VisitLogin,
  organizationId: string,
) {
  const by = { kind: 'user', id: userId, name: username, ...(byConnection && { byConnection }) } as const
  return { organizationId, actor: actorMessage({ ...by, ...callerOf(request) }), actingMember: userId }
}

/** The names in texts and forms of the roles in an organization. */
export const roleNames = {
  [MemberRole.MEMBER_ROLE_OWNER]: 'owner',
  [MemberRole.MEMBER_ROLE_ADMIN]: 'admin',
  [MemberRole.MEMBER_ROLE_MEMBER]: 'member',
} as const

/** Such a name. */
export type RoleName = (typeof roleNames)[keyof typeof roleNames]

/** The name of what somebody is. */
export function roleNameOf(role: MemberRole): RoleName {
  return role in roleNames ? roleNames[role as keyof typeof roleNames] : 'member'
}

/** Reads what a form wants somebody to be; MEMBER_ROLE_UNSPECIFIED for what is no such name. */
export function roleIn(name: string | undefined): MemberRole {
  const found = ranks.find((role) => roleNameOf(role) === name)
  return found ?? MemberRole.MEMBER_ROLE_UNSPECIFIED
}

/** The roles that a member may give others: owners each, admins all but owner. */
export function offeredRoles({ role }: Pick<Membership, 'role'>, texts: Texts) {
  const offered = role === MemberRole.MEMBER_ROLE_OWNER ? ranks : ranks.slice(1)
  return offered.map(roleNameOf).map((name) => ({ name, text: texts.organizations.roles[name] }))
}

/** The sentence about the change that was made before a page, by its name in the address. */
export function doneIn(done: string | undefined, texts: Texts): string | undefined {
  const known: Readonly<Record<string, string>> = texts.organizations.done
  return done !== undefined && Object.hasOwn(known, done) ? known[done] : undefined
}
