import { actorMessage } from '@gatehouse/kit/actor'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { provedTwoFactors } from '@gatehouse/proto/claims'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
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
import { loginAddress, secondFactorAddress } from '../pages/return-to.ts'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { BrowserSession, BrowserSessions } from '../session/browser-session.ts'
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
export type Visit = {
  session: BrowserSession
  language: Language
  texts: Texts
  time(date: Date): string
}

/** A member at a page of their organization. */
export type MemberVisit = Visit & {
  membership: Membership
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
  reply.header('cache-control', 'no-store')
  // A form was sent from its page, to which they go back then.
  const status = request.method === 'GET' ? 302 : 303
  const page = request.method === 'GET' ? request.url : organizationsPage
  const session = await sessions.of(request)
  if (session === undefined) return reply.redirect(loginAddress(page), status)
  if (mustProve(session)) return reply.redirect(secondFactorAddress(page, 'session'), status)
  const { user } = await identity.getUser({ userId: session.user.userId })
  const { locale, zoneinfo } = wayOfWriting(user?.attributes ?? {})
  const language = languageOf(request, [locale])
  return act({ session, language, texts: textsIn(language), time: timesIn(language, zoneinfo) })
}

/**
 * Acts for a member of the organization that the path names.
 * @param least what they must be in it at least
 * @throws Refusal not_found for what is no organization of theirs; access_denied for a page that they may not see
 */
export function withMembership(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: VisitDeps,
  least: 'member' | 'admin' | 'owner',
  act: (visit: MemberVisit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  return withVisit(request, reply, deps, async (visit) => {
    const { organizationId = '' } = request.params as { organizationId?: string }
    const { userId } = visit.session.user
    const membership = isOrganizationId(organizationId)
      ? await membershipOf(userId, organizationId, deps)
      : undefined
    if (membership === undefined) throw unknownOrganization
    const rank = ranks.indexOf(membership.role)
    if (least === 'owner' && rank > 0)
      throw new TranslatedRefusal('access_denied', (t) => t.organizations.ownersOnly)
    if (least === 'admin' && rank > 1)
      throw new TranslatedRefusal('access_denied', (t) => t.organizations.notAllowed)
    // A member who runs an organization acts in it.
    if (least !== 'member' && membership.secondFactorRequired && !provedTwoFactors(visit.session.methods))
      throw new TranslatedRefusal('access_denied', (t) => t.organizations.secondFactor)
    const path = `${organizationsPage}/${organizationId}`
    return act({ ...visit, membership, path, change: changeBy(request, visit, organizationId) })
  })
}

const unknownOrganization = new TranslatedRefusal('not_found', (t) => t.organizations.unknown)

async function membershipOf(
  userId: string,
  organization: string,
  { organizationService }: VisitDeps,
): Promise<Membership | undefined> {
  const { answers } = await organizationService.findMemberships({ questions: [{ userId, organization }] })
  return answers[0]?.memberships.find(({ organizationId }) => organizationId === organization)
}

/** The fields of a change that a member makes for their organization. */
function changeBy(request: FastifyRequest, { session: { user } }: Visit, organizationId: string) {
  const { userId, username } = user
  const actor = actorMessage({ kind: 'user', id: userId, name: username, ...callerOf(request) })
  return { organizationId, actor, actingMember: userId }
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
