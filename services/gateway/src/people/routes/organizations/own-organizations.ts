import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { MemberOutcome } from '@gatehouse/proto/organization/v1'
import type { FastifyReply } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { askFirst } from '../../organizations/question.ts'
import {
  doneIn,
  type MemberVisit,
  organizationsPage,
  roleNameOf,
  type VisitDeps,
  withMembership,
  withVisit,
} from '../../organizations/visit.ts'
import { markRefused } from '../../pages/errors.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { explanationOf, TranslatedRefusal } from '../../pages/translated-refusal.ts'

/** The needs of the pages of one's own organizations. */
export type OwnOrganizationsDeps = VisitDeps<'listUserOrganizations' | 'changeMembers'>

/** The most organizations that somebody may be in, and more. */
const all = 200

/** The pages with a user's organizations, and with one of them, which they can leave. */
export const ownOrganizationsPages = endpoint({
  name: 'own organizations',
  door: 'people',
  part: organizationParts,
  routes: ownOrganizationsRoutes,
})

function ownOrganizationsRoutes(app: App, deps: OwnOrganizationsDeps): void {
  pageRoute(app, {
    url: organizationsPage,
    handler: (request, reply) =>
      withVisit(request, reply, deps, async ({ session: { user }, texts, language, time }) => {
        const { userId } = user
        const { organizations } = await deps.organizationService.listUserOrganizations({
          userId,
          limit: all,
        })
        const content = {
          user,
          message: doneIn(parseForm(queryOf(request.url)).done, texts),
          organizations: organizations.flatMap(({ organization, role, joinedAt }) =>
            organization === undefined || organization.disabledAt !== undefined
              ? []
              : [
                  {
                    href: `${organizationsPage}/${organization.organizationId}`,
                    name: organization.name,
                    role: texts.organizations.roles[roleNameOf(role)],
                    since: joinedAt,
                  },
                ],
          ),
          time,
        }
        return sendPage(reply, 'organizations/list', content, { language })
      }),
  })

  pageRoute(app, {
    url: `${organizationsPage}/:organizationId`,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'member', async (visit) => {
        const { session, membership, path, texts, language } = visit
        const role = roleNameOf(membership.role)
        const content = {
          user: session.user,
          ...{ organization: membership.name, path },
          message: doneIn(parseForm(queryOf(request.url)).done, texts),
          role: texts.organizations.roles[role],
          manages: role !== 'member',
          owns: role === 'owner',
        }
        return sendPage(reply, 'organizations/overview', content, { language })
      }),
  })

  leaveRoutes(app, deps)
}

function leaveRoutes(app: App, deps: OwnOrganizationsDeps): void {
  const url = `${organizationsPage}/:organizationId/leave`
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'member', async (visit) => showLeaving(reply, visit)),
  })

  app.route({
    method: 'POST',
    url,
    config: { page: true },
    schema: pageForm(),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'member', async (visit) => {
        const remove = [visit.session.user.userId]
        const { removed } = await deps.organizationService.changeMembers({
          ...visit.change,
          set: [],
          remove,
        })
        if (removed[0]?.outcome !== MemberOutcome.MEMBER_OUTCOME_REFUSED)
          return reply.redirect(`${organizationsPage}?done=left`, 303)
        const refusal = new TranslatedRefusal('access_denied', (t) => t.organizations.leave.lastOwner)
        markRefused(request, reply, refusal)
        return showLeaving(reply, visit, explanationOf(refusal, visit.texts))
      }),
  })
}

function showLeaving(reply: FastifyReply, visit: MemberVisit, problem?: string): FastifyReply {
  const { membership, path, texts } = visit
  return askFirst(reply, visit, texts.organizations.leave, {
    name: membership.name,
    action: `${path}/leave`,
    back: path,
    problem,
  })
}
