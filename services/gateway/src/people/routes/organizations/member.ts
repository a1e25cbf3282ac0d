import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { isUuid } from '@gatehouse/kit/formats'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { localSource } from '@gatehouse/proto/groups'
import {
  AssignmentOutcome,
  type AssignmentResult,
  type IdentityServiceService,
} from '@gatehouse/proto/identity/v1'
import type { Member } from '@gatehouse/proto/organization/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { type GroupsDeps, groupsToGive } from '../../organizations/groups-of-organization.ts'
import { type RolesToGiveDeps, roleKey, rolesToGive } from '../../organizations/roles-to-give.ts'
import {
  doneIn,
  type MemberVisit,
  organizationsPage,
  type VisitDeps,
  withMembership,
} from '../../organizations/visit.ts'
import { markRefused } from '../../pages/errors.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { TranslatedRefusal } from '../../pages/translated-refusal.ts'

/** The needs of the page of one member of an organization. */
export type MemberDeps = VisitDeps<'listMembers'> &
  GroupsDeps &
  RolesToGiveDeps & {
    identity: Pick<
      RpcClient<typeof IdentityServiceService>,
      'listUserGroups' | 'listHeldRoles' | 'changeGroupMembers' | 'changeRoles'
    >
  }

const url = `${organizationsPage}/:organizationId/members/:userId`
const most = 200

const gone = new TranslatedRefusal('not_found', (t) => t.organizations.members.gone)
const refused = new TranslatedRefusal('invalid_request', (t) => t.organizationMember.refused)

/** The page where owners and admins give and take the groups and roles of a member. */
export const memberPage = endpoint({
  name: 'member of an organization',
  door: 'people',
  part: organizationParts,
  routes: memberRoutes,
})

function memberRoutes(app: App, deps: MemberDeps): void {
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) =>
        showMember(request, reply, visit, deps, { member: await memberIn(request, visit, deps) }),
      ),
  })

  for (const [action, change] of Object.entries(changes))
    app.route({
      method: 'POST',
      url: `${url}/${action}`,
      config: { page: true },
      schema: pageForm('which'),
      handler: (request, reply) =>
        withMembership(request, reply, deps, 'admin', async (visit) => {
          const member = await memberIn(request, visit, deps)
          const result = await change.make(request.body.which ?? '', member.userId, visit, deps)
          if (result !== undefined && result.outcome !== AssignmentOutcome.ASSIGNMENT_OUTCOME_REFUSED)
            return reply.redirect(`${pathOf(member, visit)}?done=${change.done}`, 303)
          markRefused(request, reply, refused)
          return showMember(request, reply, visit, deps, { member, isRefused: true })
        }),
    })
}

type Change = {
  /** The sentence that says that it is done. */
  done: string
  /** @returns undefined for what the organization may not change */
  make(
    which: string,
    userId: string,
    visit: MemberVisit,
    deps: MemberDeps,
  ): Promise<AssignmentResult | undefined>
}

/** The changes by the ends of their addresses. */
const changes: Readonly<Record<string, Change>> = {
  'add-group': {
    done: 'group-added',
    async make(groupId, userId, { change }, { identity }) {
      const { added } = await identity.changeGroupMembers({ ...change, groupId, add: [userId], remove: [] })
      return added[0]
    },
  },
  'remove-group': {
    done: 'group-removed',
    async make(groupId, userId, { change }, { identity }) {
      const { removed } = await identity.changeGroupMembers({ ...change, groupId, add: [], remove: [userId] })
      return removed[0]
    },
  },
  'give-role': {
    done: 'role-given',
    async make(key, userId, { change }, deps) {
      const give = await assignmentOf(key, userId, deps)
      return give && (await deps.identity.changeRoles({ ...change, give: [give], take: [] })).given[0]
    },
  },
  'take-role': {
    done: 'role-taken',
    async make(key, userId, { change }, deps) {
      const take = await assignmentOf(key, userId, deps)
      return take && (await deps.identity.changeRoles({ ...change, give: [], take: [take] })).taken[0]
    },
  },
}

/** The assignment of a role; undefined for one that organizations may not give. */
async function assignmentOf(key: string, userId: string, deps: RolesToGiveDeps) {
  const role = (await rolesToGive(deps)).find((one) => roleKey(one) === key)
  return role && { ...role, holder: { $case: 'userId' as const, value: userId } }
}

const pathOf = ({ userId }: Member, { path }: MemberVisit) => `${path}/members/${userId}`

/** The member that the path names. @throws Refusal not_found */
async function memberIn(
  { params }: Pick<FastifyRequest, 'params'>,
  { change: { organizationId } }: MemberVisit,
  { organizationService }: MemberDeps,
): Promise<Member> {
  const { userId = '' } = params as { userId?: string }
  const { members } = isUuid(userId)
    ? await organizationService.listMembers({ organizationId, userId, limit: 1, withoutTotal: true })
    : { members: [] }
  const member = members.find((one) => one.userId === userId)
  if (member === undefined) throw gone
  return member
}

async function showMember(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: MemberVisit,
  deps: MemberDeps,
  { member, isRefused = false }: { member: Member; isRefused?: boolean },
): Promise<FastifyReply> {
  const { session, membership, path, change, texts, language } = visit
  const { organizationId } = change
  const { userId } = member
  const holder = { $case: 'userId' as const, value: userId }
  const [{ groups }, { roles }, givenGroups, givenRoles] = await Promise.all([
    deps.identity.listUserGroups({ userId, organizationId, limit: most }),
    deps.identity.listHeldRoles({ holder, effective: true, organizationId, limit: most }),
    groupsToGive(organizationId, deps),
    rolesToGive(deps),
  ])
  const t = texts.organizationMember
  const mayGive = new Set(givenRoles.map(roleKey))
  const own = new Set(roles.filter(({ groupId }) => groupId === undefined).map(roleKey))
  const isIn = new Set(groups.map(({ groupId }) => groupId))
  const content = {
    ...{ user: session.user, organization: membership.name, path, own: pathOf(member, visit) },
    name: member.displayName ?? member.username,
    message: doneIn(parseForm(queryOf(request.url)).done, texts),
    problem: isRefused ? { text: t.refused, field: undefined } : undefined,
    groups: groups.map(({ groupId, name, source }) => ({
      ...{ name, which: source === localSource ? groupId : undefined },
    })),
    roles: roles.map((one) => ({
      name: t.roleOf(one.role, one.resource),
      group: one.groupName,
      which: one.groupId === undefined && mayGive.has(roleKey(one)) ? roleKey(one) : undefined,
    })),
    groupsToGive: givenGroups
      .filter(({ groupId }) => !isIn.has(groupId))
      .map(({ groupId, name }) => ({ which: groupId, name })),
    rolesToGive: givenRoles
      .filter((one) => !own.has(roleKey(one)))
      .map((one) => ({ which: roleKey(one), name: t.roleOf(one.role, one.resource) })),
  }
  return sendPage(reply, 'organizations/member', content, { language })
}
