import type { App } from '@gatehouse/http/app'
import { unchecked } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { Invitation, InvitedRole } from '@gatehouse/proto/organization/v1'
import { organizationLimits as limits } from '@gatehouse/proto/organizations'
import { languageTags } from '@gatehouse/proto/people/languages'
import { attributeSchema, userAttributes } from '@gatehouse/proto/people/user-attributes'
import { type Static, Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../../deps.ts'
import { listRoute } from '../../list.ts'
import { operationRoute } from '../../operation.ts'
import { done, moment, momentOf } from '../../schemas.ts'
import { idIn } from '../groups/assignment-result.ts'
import { hasRole, type NamedRole } from '../groups/role-body.ts'
import { resourceServersOf } from '../groups/role-changes.ts'
import { memberRoleIn, memberRoleMessage, memberRoleSchema } from './member-role.ts'

const { type: _, ...addressRules } = attributeSchema(userAttributes.email)
const role = Type.String({ description: 'The name of the role.' })

const invitationSchema = Type.Object(
  {
    invitation_id: Type.String({ format: 'uuid' }),
    email: Type.String({
      description: 'Where it goes. Whoever accepts it must have this address, verified.',
    }),
    role: memberRoleSchema,
    roles: Type.Array(
      Type.Object({
        resource_id: Type.String(),
        resource: Type.String({ description: 'The identifier of the resource server.' }),
        role,
      }),
      { description: 'The roles that they get with the membership.' },
    ),
    invited_by: Type.String({ description: 'The name of whoever invited them.' }),
    created_at: moment('When they were invited.'),
    sent_at: moment('When the mail was last written.'),
    expires_at: moment('When its link stops working, or stopped.'),
  },
  { title: 'OrganizationInvitation', description: 'The invitation.' },
)
const example = {
  ...{
    invitation_id: '019b7a5e-0000-7000-8000-000000000007',
    email: 'ann@example.com',
    role: 'member',
    roles: [],
  },
  ...{ invited_by: 'root', created_at: '2026-01-01T00:00:00.000Z', sent_at: '2026-01-01T00:00:00.000Z' },
  expires_at: '2026-01-08T00:00:00.000Z',
}

/** /admin/api/organizations/{organization_id}/invitations. */
export function organizationInvitationRoutes(app: App, deps: AdminDeps): void {
  const { organizationService } = deps
  listRoute(app, {
    url: '/organizations/:organization_id/invitations',
    operationId: 'listOrganizationInvitations',
    summary: 'List the open invitations to an organization, newest first',
    filters: {},
    item: invitationSchema,
    answer: 'The invitations.',
    example,
    refusals: ['not_found'],
    async find(page, { organization_id: organizationId }) {
      const { invitations, nextCursor } = await organizationService.listInvitations({
        ...page,
        organizationId,
      })
      return { items: invitations.map(invitationBody), nextCursor }
    },
  })

  operationRoute(app, {
    route: 'POST /organizations/:organization_id/invitations',
    operationId: 'inviteMember',
    summary: 'Invite somebody to an organization, by mail',
    description:
      'The link works once, for an account whose verified address is the one of the invitation. An earlier invitation of the address to the organization ends.',
    body: Type.Object(
      {
        email: Type.String({ ...unchecked(addressRules), description: 'Where the invitation goes.' }),
        role: Type.Optional(memberRoleSchema),
        roles: Type.Optional(
          Type.Array(Type.Object({ resource_id: Type.String(), role }), {
            ...unchecked({ maxItems: limits.rolesOfInvitation }),
            description: 'The roles that they get with the membership.',
          }),
        ),
        language: Type.Optional(
          Type.Enum([...languageTags], { description: 'The language of the mail, by default English.' }),
        ),
      },
      { title: 'MemberInvitation', examples: [{ email: 'ann@example.com', role: 'admin' }] },
    ),
    answer: { 201: invitationSchema },
    refusals: ['not_found', 'rate_limit_exceeded'],
    async perform({ params: { organization_id: organizationId }, body, actor }) {
      const { email, role = 'member', roles = [], language = 'en' } = body
      const wanted = { organizationId, email, language, actor, role: memberRoleMessage(role) }
      const invited = { ...wanted, roles: await invitedRoles(roles, deps) }
      return invitationBody((await organizationService.createInvitation(invited)).invitation)
    },
  })

  operationRoute(app, {
    route: 'POST /organizations/:organization_id/invitations/:invitation_id/resend',
    operationId: 'resendOrganizationInvitation',
    summary: 'Send an invitation to an organization again',
    description: 'In a new mail, with a new link. The earlier link no longer works.',
    answer: { 200: invitationSchema },
    refusals: ['not_found', 'rate_limit_exceeded'],
    async perform({ params: { organization_id: organizationId, invitation_id: invitationId }, actor }) {
      const sent = await organizationService.sendInvitationAgain({ organizationId, invitationId, actor })
      return invitationBody(sent.invitation)
    },
  })

  operationRoute(app, {
    route: 'DELETE /organizations/:organization_id/invitations/:invitation_id',
    operationId: 'withdrawOrganizationInvitation',
    summary: 'Withdraw an invitation to an organization',
    description: 'Its link no longer works.',
    answer: done('The invitation is withdrawn.'),
    refusals: ['not_found'],
    perform: ({ params: { organization_id: organizationId, invitation_id: invitationId }, actor }) =>
      organizationService.withdrawInvitation({ organizationId, invitationId, actor }),
  })
}

/** Looks up that resource servers have the roles of an invitation. @throws Refusal invalid_request */
async function invitedRoles(roles: readonly NamedRole[], deps: AdminDeps): Promise<InvitedRole[]> {
  const named = roles.map(({ resource_id: id, role }) => ({ resourceId: idIn(id), role }))
  const servers = await resourceServersOf(
    named.map(({ resourceId }) => resourceId),
    deps,
  )
  return named.map(({ resourceId, role }) => {
    const server = servers.get(resourceId)
    if (server === undefined || !hasRole(server, role))
      throw new Refusal('invalid_request', `roles has a role that no resource server has: ${role}.`)
    return { resourceId, resource: server.identifier, role }
  })
}

function invitationBody(invitation: Invitation | undefined): Static<typeof invitationSchema> {
  if (invitation === undefined) throw new Error('the identity service gave no invitation')
  return {
    invitation_id: invitation.invitationId,
    email: invitation.email,
    role: memberRoleIn(invitation.role),
    roles: invitation.roles.map(({ resourceId, resource, role }) => ({
      resource_id: resourceId,
      resource,
      role,
    })),
    invited_by: invitation.invitedBy,
    created_at: momentOf(invitation.createdAt),
    sent_at: momentOf(invitation.sentAt),
    expires_at: momentOf(invitation.expiresAt),
  }
}
