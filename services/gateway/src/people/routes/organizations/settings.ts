import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { Organization } from '@gatehouse/proto/organization/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import type { ConnectionServices } from '../../organizations/connections.ts'
import { isHeld } from '../../organizations/domain-state.ts'
import { revisionIn } from '../../organizations/form-revision.ts'
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
export type SettingsDeps = VisitDeps<'getOrganization' | 'updateOrganization' | 'listDomains'> & {
  connectionService: Pick<ConnectionServices, 'listConnections'>
}

const url = `${organizationsPage}/:organizationId/settings`

const words: ProblemWords = [
  ['name ', (t) => t.organizations.settings.faults.name, 'name'],
  ['logo_uri ', (t) => t.organizations.settings.faults.logo, 'logo_uri'],
  ['color ', (t) => t.organizations.settings.faults.color, 'color'],
  ['This organization was changed meanwhile', (t) => t.organizations.settings.outdated],
]

/** The values in the fields of the form. */
type Fields = { name: string; logo: string; color: string; secondFactor: boolean; ssoRequired: boolean }

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
    // `second_factor` and `sso_required` are `yes` where members must log in with two factors, or by a connection of the organization.
    schema: pageForm('revision', 'name', 'logo_uri', 'color', 'second_factor', 'sso_required'),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'owner', async (visit) => {
        const { revision, name = '', logo_uri: logoUri = '', color = '', ...boxes } = request.body
        const secondFactorRequired = boxes.second_factor === 'yes'
        const ssoRequired = boxes.sso_required === 'yes'
        const demanded = { secondFactorRequired, ssoRequired }
        const wanted = { name, logoUri: logoUri.trim(), color: color.trim(), ...demanded }
        const update = () =>
          deps.organizationService.updateOrganization({
            ...{ ...visit.change, ...wanted, attributes: undefined },
            revision: revisionIn(revision),
          })
        const problem = await problemWith(update, words, { request, reply, texts: visit.texts })
        if (problem === undefined) return reply.redirect(`${visit.path}/settings?done=settings`, 303)
        // A change that somebody else made meanwhile must be seen before it is overwritten.
        const typed = { name, logo: logoUri, color, secondFactor: secondFactorRequired, ssoRequired }
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
  deps: SettingsDeps,
  problem?: Problem,
  typed?: Fields,
): Promise<FastifyReply> {
  const { done } = parseForm(queryOf(request.url))
  const { organization } = await deps.organizationService.getOrganization({ organization: organizationId })
  const content = {
    ...{ user, organization: membership.name, path, problem },
    message: doneIn(done, texts),
    revision: String(organization?.revision ?? 1n),
    ...(typed ?? fieldsOf(organization)),
    ssoInEffect: organization?.ssoRequired ? await canDemandSso(organizationId, deps) : undefined,
  }
  return sendPage(reply, 'organizations/settings', content, { language })
}

function fieldsOf(organization: Organization | undefined): Fields {
  const {
    name = '',
    logoUri: logo = '',
    color = '',
    secondFactorRequired: secondFactor = false,
    ssoRequired = false,
  } = organization ?? {}
  return { name, logo, color, secondFactor, ssoRequired }
}

/** Whether an organization has a domain now, and a connection that is not disabled: without one, members could not log in. */
async function canDemandSso(
  organizationId: string,
  { organizationService, connectionService }: SettingsDeps,
): Promise<boolean> {
  const filters = { organization: organizationId, disabled: 'false' }
  const [{ domains }, { connections }] = await Promise.all([
    organizationService.listDomains({ organizationId }),
    connectionService.listConnections({ limit: 1, filters }),
  ])
  return connections.length > 0 && domains.some(({ state }) => isHeld(state))
}
