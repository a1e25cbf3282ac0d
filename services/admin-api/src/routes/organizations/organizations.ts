import type { App } from '@gatehouse/http/app'
import { organizations as definition } from '@gatehouse/proto/administered/organizations'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../../administered.ts'
import type { AdminDeps } from '../../deps.ts'
import { operationRoute } from '../../operation.ts'
import { done, revisionOf } from '../../schemas.ts'
import { memberRoutes } from '../groups/group-members.ts'
import { inOrganization } from '../groups/group-place.ts'
import { groupRoutes } from '../groups/groups.ts'
import { roleRoutes } from '../groups/roles.ts'
import {
  changedSettings,
  organizationBody,
  organizationExample,
  organizationSchema,
  organizationSettings as settings,
} from './organization-body.ts'

const reach =
  'Only administrators without limits change an organization of which an administrator is a member.'

/** /admin/api/organizations. */
export function organizationRoutes(app: App, { organizationService }: AdminDeps): void {
  administeredList(app, definition, {
    operationId: 'listOrganizations',
    item: organizationSchema,
    example: organizationExample,
    find: organizationService.listOrganizations,
    items: ({ organizations }) => organizations.map(organizationBody),
  })

  operationRoute(app, {
    route: 'POST /organizations',
    operationId: 'createOrganization',
    summary: 'Create an organization',
    description: 'It has no members at first. Make somebody its owner, or invite them.',
    body: Type.Object(
      {
        ...settings,
        attributes: Type.Optional(settings.attributes),
        second_factor_required: Type.Optional(settings.second_factor_required),
        sso_required: Type.Optional(settings.sso_required),
      },
      { title: 'OrganizationToCreate', examples: [{ slug: 'acme', name: 'Acme Inc.' }] },
    ),
    answer: { 201: organizationSchema },
    async perform({ body, actor }) {
      const { slug, name, logo_uri: logoUri, color, attributes, second_factor_required: second } = body
      const wanted = {
        ...{ slug, name, logoUri, color, attributes, secondFactorRequired: second ?? false, actor },
        ssoRequired: body.sso_required,
      }
      return organizationBody((await organizationService.createOrganization(wanted)).organization)
    },
  })

  operationRoute(app, {
    route: 'GET /organizations/:organization_id',
    operationId: 'getOrganization',
    summary: 'Get an organization',
    answer: { 200: organizationSchema },
    refusals: ['not_found'],
    perform: async ({ params: { organization_id: organization } }) =>
      organizationBody((await organizationService.getOrganization({ organization })).organization),
  })

  operationRoute(app, {
    route: 'PATCH /organizations/:organization_id',
    operationId: 'updateOrganization',
    summary: 'Update, disable or enable an organization',
    description: `Absent fields stay unchanged. Disabling ends everything that was granted in the organization; enabling brings none of that back. ${reach}`,
    body: Type.Object(
      {
        ...changedSettings,
        revision: revisionOf('the organization'),
      },
      { title: 'OrganizationChange', examples: [{ disabled: true, revision: 1 }] },
    ),
    answer: { 200: organizationSchema },
    refusals: ['outdated_revision', 'not_found'],
    async perform({ params: { organization_id: organizationId }, body, actor }) {
      const {
        revision = 0,
        logo_uri: logoUri,
        color,
        second_factor_required: second,
        sso_required: ssoRequired,
        attributes,
        ...fields
      } = body
      const change = {
        ...{ ...fields, attributes, organizationId, revision: BigInt(revision), actor },
        logoUri: logoUri === null ? '' : logoUri,
        color: color === null ? '' : color,
        secondFactorRequired: second,
        ssoRequired,
      }
      return organizationBody((await organizationService.updateOrganization(change)).organization)
    },
  })

  operationRoute(app, {
    route: 'DELETE /organizations/:organization_id',
    operationId: 'deleteOrganization',
    summary: 'Delete an organization',
    description: `Its groups, roles, invitations and domains go with it, and everything that was granted in it ends. Its members stay users. ${reach}`,
    answer: done('The organization is deleted.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) =>
      organizationService.deleteOrganization({ organizationId: params.organization_id, actor }),
  })
}

/** The groups and roles of an organization: /admin/api/organizations/{organization_id}/groups and so on. */
export function organizationGroupRoutes(app: App, deps: AdminDeps): void {
  for (const add of [groupRoutes, memberRoutes, roleRoutes]) add(app, deps, inOrganization)
}
