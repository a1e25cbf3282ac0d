import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { Organization } from '@gatehouse/proto/organization/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { type ProblemWords, problemWith } from '../../organizations/problems.ts'
import {
  doneIn,
  type MemberVisit,
  organizationsPage,
  type VisitDeps,
  withMembership,
} from '../../organizations/visit.ts'
import type { Problem } from '../../pages/form-problem.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'

/** The needs of the page with the settings of an organization. */
export type SettingsDeps = VisitDeps<'getOrganization' | 'updateOrganization'>

const url = `${organizationsPage}/:organizationId/settings`

const words: ProblemWords = [
  ['name ', (t) => t.organizations.settings.faults.name, 'name'],
  ['logo_uri ', (t) => t.organizations.settings.faults.logo, 'logo_uri'],
  ['color ', (t) => t.organizations.settings.faults.color, 'color'],
  ['This organization was changed meanwhile', (t) => t.organizations.settings.outdated],
]

/** The values in the fields of the form. */
type Fields = { name: string; logo: string; color: string; secondFactor: boolean }

/** The page where owners change the settings of their organization. */
export const settingsPage = endpoint({
  name: 'settings of an organization',
  door: 'people',
  part: organizationParts,
  routes: settingsRoutes,
})

function settingsRoutes(app: App, deps: SettingsDeps): void {
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'owner', (visit) => showSettings(request, reply, visit, deps)),
  })

  app.route({
    method: 'POST',
    url,
    config: { page: true },
    // `second_factor` is `yes` where members must log in with two factors.
    schema: pageForm('revision', 'name', 'logo_uri', 'color', 'second_factor'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'owner', async (visit) => {
        const { revision = '', name = '', logo_uri: logoUri = '', color = '', second_factor } = request.body
        const secondFactorRequired = second_factor === 'yes'
        const wanted = { name, logoUri: logoUri.trim(), color: color.trim(), secondFactorRequired }
        const update = () =>
          deps.organizationService.updateOrganization({
            ...{ ...visit.change, ...wanted, attributes: undefined },
            revision: /^\d{1,18}$/.test(revision) ? BigInt(revision) : 1n,
          })
        const problem = await problemWith(update, words, { request, reply, texts: visit.texts })
        if (problem === undefined) return reply.redirect(`${visit.path}/settings?done=settings`, 303)
        // A change that somebody else made meanwhile must be seen before it is overwritten.
        const typed = { name, logo: logoUri, color, secondFactor: secondFactorRequired }
        return showSettings(
          request,
          reply,
          visit,
          deps,
          problem,
          problem.field === undefined ? undefined : typed,
        )
      }),
  })
}

async function showSettings(
  request: FastifyRequest,
  reply: FastifyReply,
  { session: { user }, membership, path, change: { organizationId }, texts, language }: MemberVisit,
  { organizationService }: SettingsDeps,
  problem?: Problem,
  typed?: Fields,
): Promise<FastifyReply> {
  const { done } = parseForm(queryOf(request.url))
  const { organization } = await organizationService.getOrganization({ organization: organizationId })
  const content = {
    ...{ user, organization: membership.name, path, problem },
    message: doneIn(done, texts),
    revision: String(organization?.revision ?? 1n),
    ...(typed ?? fieldsOf(organization)),
  }
  return sendPage(reply, 'organizations/settings', content, { language })
}

function fieldsOf(organization: Organization | undefined): Fields {
  const {
    name = '',
    logoUri: logo = '',
    color = '',
    secondFactorRequired: secondFactor = false,
  } = organization ?? {}
  return { name, logo, color, secondFactor }
}
