import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { Refusal } from '@gatehouse/kit/errors'
import { type Member, MemberOutcome, MemberRole } from '@gatehouse/proto/organization/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { askFirst } from '../../organizations/question.ts'
import {
  doneIn,
  type MemberVisit,
  offeredRoles,
  organizationsPage,
  roleIn,
  roleNameOf,
  type VisitDeps,
  withMembership,
} from '../../organizations/visit.ts'
import { markRefused } from '../../pages/errors.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { explanationOf, TranslatedRefusal } from '../../pages/translated-refusal.ts'

/** The needs of the pages of the members of an organization. */
export type MembersDeps = VisitDeps<'listMembers' | 'changeMembers'>

const url = `${organizationsPage}/:organizationId/members`
const config = { page: true } as const
const membersOnPage = 50

const refused = new TranslatedRefusal('access_denied', (t) => t.organizations.members.refused)
const gone = new TranslatedRefusal('not_found', (t) => t.organizations.members.gone)

/** The pages where owners and admins look at the members of their organization, change what they are, and remove them. */
export const membersPages = endpoint({
  name: 'members of an organization',
  door: 'people',
  part: organizationParts,
  routes: membersRoutes,
})

function membersRoutes(app: App, deps: MembersDeps): void {
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', (visit) => showMembers(request, reply, visit, deps)),
  })

  app.route({
    method: 'POST',
    url: `${url}/role`,
    config,
    schema: pageForm('user_id', 'role'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { user_id: userId = '', role } = request.body
        const set = [{ userId, role: roleIn(role), attributes: undefined }]
        const { set: results } = await deps.organizationService.changeMembers({
          ...visit.change,
          set,
          remove: [],
        })
        if (isDone(results)) return reply.redirect(`${visit.path}/members?done=role`, 303)
        markRefused(request, reply, refused)
        return showMembers(request, reply, visit, deps, refused)
      }),
  })

  removalRoutes(app, deps)
}

function removalRoutes(app: App, deps: MembersDeps): void {
  pageRoute(app, {
    url: `${url}/remove`,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { user_id: userId = '' } = parseForm(queryOf(request.url))
        const { organizationId } = visit.change
        const { members } = await deps.organizationService.listMembers({
          ...{ organizationId, userId, limit: 1, withoutTotal: true },
        })
        const member = members.find((one) => one.userId === userId)
        if (member === undefined) throw gone
        return showRemoval(reply, visit, member)
      }),
  })

  app.route({
    method: 'POST',
    url: `${url}/remove`,
    config,
    schema: pageForm('user_id'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { user_id: userId = '' } = request.body
        const remove = [userId]
        const { removed } = await deps.organizationService.changeMembers({
          ...visit.change,
          set: [],
          remove,
        })
        if (!isDone(removed)) {
          markRefused(request, reply, refused)
          return showMembers(request, reply, visit, deps, refused)
        }
        const left = userId === visit.session.user.userId
        return reply.redirect(
          left ? `${organizationsPage}?done=left` : `${visit.path}/members?done=removed`,
          303,
        )
      }),
  })
}

const isDone = (results: readonly { outcome: MemberOutcome }[]) =>
  results[0]?.outcome !== MemberOutcome.MEMBER_OUTCOME_REFUSED

async function showMembers(
  request: FastifyRequest,
  reply: FastifyReply,
  { session: { user }, membership, path, change: { organizationId }, texts, language, time }: MemberVisit,
  { organizationService }: MembersDeps,
  problem?: Refusal,
): Promise<FastifyReply> {
  const { search = '', cursor, done } = parseForm(queryOf(request.url))
  const page = `${path}/members`
  const wanted = search.trim() || undefined
  const { members, nextCursor } = await organizationService.listMembers({
    ...{ organizationId, search: wanted, cursor, limit: membersOnPage, withoutTotal: true },
  })
  const offered = offeredRoles(membership, texts)
  const mayChange = ({ role }: Member) =>
    role !== MemberRole.MEMBER_ROLE_OWNER || membership.role === MemberRole.MEMBER_ROLE_OWNER
  const content = {
    ...{ user, organization: membership.name, path },
    message: doneIn(done, texts),
    problem: problem && { text: explanationOf(problem, texts) ?? problem.description, field: undefined },
    search,
    members: members.map((member) => ({
      userId: member.userId,
      username: member.username,
      name: member.displayName ?? member.username,
      email: member.email,
      role: texts.organizations.roles[roleNameOf(member.role)],
      since: member.joinedAt,
      disabled: member.disabled,
      isUser: member.userId === user.userId,
      roles: mayChange(member)
        ? offered.map((role) => ({ ...role, chosen: role.name === roleNameOf(member.role) }))
        : [],
      removal: `${page}/remove?${new URLSearchParams({ user_id: member.userId })}`,
    })),
    next:
      nextCursor &&
      `${page}?${new URLSearchParams({ ...(wanted && { search: wanted }), cursor: nextCursor })}`,
    first: cursor === undefined ? undefined : page,
    time,
  }
  return sendPage(reply, 'organizations/members', content, { language })
}

function showRemoval(
  reply: FastifyReply,
  visit: MemberVisit,
  { userId, username, displayName }: Member,
): FastifyReply {
  const { path, texts } = visit
  return askFirst(reply, visit, texts.organizations.members.removal, {
    name: displayName === undefined ? username : `${displayName} (${username})`,
    action: `${path}/members/remove`,
    fields: { user_id: userId },
    back: `${path}/members`,
  })
}
