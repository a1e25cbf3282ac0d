import type { App } from '@gatehouse/http/app'
import { unchecked } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import { AssignmentOutcome } from '@gatehouse/proto/identity/v1'
import type { Member, MemberResult } from '@gatehouse/proto/organization/v1'
import { MemberOutcome } from '@gatehouse/proto/organization/v1'
import { organizationLimits as limits } from '@gatehouse/proto/organizations'
import { type Static, Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../../deps.ts'
import { listRoute } from '../../list.ts'
import { operationRoute } from '../../operation.ts'
import { moment, momentOf } from '../../schemas.ts'
import { idIn, longDeadline, resultBody, results, userId } from '../groups/assignment-result.ts'
import { memberRoleIn, memberRoleMessage, memberRoleSchema } from './member-role.ts'
import {
  attributesSchema,
  organizationBody,
  organizationExample,
  organizationSchema,
} from './organization-body.ts'

const joined = moment('When they became a member.')

const memberSchema = Type.Object(
  {
    user_id: Type.String(),
    username: Type.String(),
    role: memberRoleSchema,
    disabled: Type.Boolean({ description: 'Whether the user is disabled.' }),
    attributes: attributesSchema('The attributes that they have in the organization.'),
    name: Type.Optional(Type.String({ description: 'Their name, if they have told it.' })),
    email: Type.Optional(Type.String({ description: 'Their e-mail address, if they have told it.' })),
    joined_at: joined,
  },
  { title: 'OrganizationMember' },
)
const memberExample = {
  ...{ user_id: '<USER_ID>', username: 'ann', role: 'owner', disabled: false, attributes: {} },
  joined_at: '2026-01-01T00:00:00.000Z',
}

const newMember = Type.Object({
  user_id: Type.String({ description: 'The id of a user.' }),
  role: memberRoleSchema,
  attributes: Type.Optional(
    attributesSchema('All attributes that they have in it from then on; absent to change none.'),
  ),
})

const changedSchema = Type.Object(
  {
    set: results(userId, 'The result for each user in `set`.'),
    removed: results(userId, 'The result for each user in `remove`.'),
  },
  {
    title: 'OrganizationMembersChanged',
    description: 'What was done.',
    examples: [{ set: [{ user_id: '<USER_ID>', outcome: 'done' }], removed: [] }],
  },
)

const userOrganization = Type.Object(
  { organization: organizationSchema, role: memberRoleSchema, joined_at: joined },
  { title: 'UserOrganization' },
)

/** /admin/api/organizations/{organization_id}/members and /admin/api/users/{user_id}/organizations. */
export function organizationMemberRoutes(app: App, { organizationService }: AdminDeps): void {
  listRoute(app, {
    url: '/organizations/:organization_id/members',
    operationId: 'listOrganizationMembers',
    summary: 'List the members of an organization by name',
    filters: {
      search: Type.Optional(
        Type.String({
          description: 'A part of the name; with fewer than three characters, its beginning.',
        }),
      ),
    },
    item: memberSchema,
    answer: 'The members.',
    example: memberExample,
    refusals: ['not_found'],
    async find(wanted, { organization_id: organizationId }) {
      const { members, nextCursor, total } = await organizationService.listMembers({
        ...wanted,
        organizationId,
      })
      return { items: members.map(memberBody), nextCursor, total }
    },
  })

  operationRoute(app, {
    route: 'GET /organizations/:organization_id/members/:user_id',
    operationId: 'getOrganizationMember',
    summary: 'Get a member of an organization',
    answer: { 200: memberSchema },
    refusals: ['not_found'],
    async perform({ params: { organization_id: organizationId, user_id: id } }) {
      const { members } = await organizationService.listMembers({ organizationId, userId: id, limit: 1 })
      const member = members.find((one) => one.userId === id)
      if (member === undefined) throw new Refusal('not_found', 'There is no such member.')
      return memberBody(member)
    },
  })

  operationRoute(app, {
    route: 'PATCH /organizations/:organization_id/members',
    operationId: 'changeOrganizationMembers',
    summary: 'Make users members, change what they are, and remove members',
    description: `Users are removed first; each has a result of their own. Whoever is removed loses their groups and roles in the organization, and everything that they granted in it ends. The last active owner stays. A user is in ${limits.organizationsOfUser} organizations at most. Only administrators without limits change memberships of administrators.`,
    body: Type.Object(
      {
        set: Type.Optional(
          Type.Array(newMember, {
            description: `Users who become members or are members already. At most ${limits.atOnce} at once.`,
            ...unchecked({ maxItems: limits.atOnce }),
          }),
        ),
        remove: Type.Optional(
          Type.Array(Type.String(), {
            description: `The ids of users. At most ${limits.atOnce} at once.`,
            ...unchecked({ maxItems: limits.atOnce }),
          }),
        ),
      },
      { title: 'OrganizationMembersChange', examples: [{ set: [{ user_id: '<USER_ID>', role: 'member' }] }] },
    ),
    answer: { 200: changedSchema },
    refusals: ['not_found'],
    async perform({ params: { organization_id: organizationId }, body: { set = [], remove = [] }, actor }) {
      const change = {
        ...{ organizationId, remove: remove.map(idIn), actor },
        set: set.map(({ user_id: id, role, attributes }) => ({
          userId: idIn(id),
          role: memberRoleMessage(role),
          attributes,
        })),
      }
      const changed = await organizationService.changeMembers(change, longDeadline())
      return {
        set: set.map(({ user_id: id }, index) => ({ user_id: id, ...memberResult(changed.set[index]) })),
        removed: remove.map((id, index) => ({ user_id: id, ...memberResult(changed.removed[index]) })),
      }
    },
  })

  listRoute(app, {
    url: '/users/:user_id/organizations',
    operationId: 'listUserOrganizations',
    summary: 'List the organizations of a user by name',
    description: 'Disabled ones too.',
    filters: {},
    item: userOrganization,
    answer: 'The organizations.',
    example: {
      organization: organizationExample,
      role: 'owner',
      joined_at: '2026-01-01T00:00:00.000Z',
    },
    refusals: ['not_found'],
    async find(page, { user_id: userId }) {
      const found = await organizationService.listUserOrganizations({ ...page, userId })
      const items = found.organizations.map(({ organization, role, joinedAt }) => ({
        organization: organizationBody(organization),
        role: memberRoleIn(role),
        joined_at: momentOf(joinedAt),
      }))
      return { items, nextCursor: found.nextCursor }
    },
  })
}

function memberBody(member: Member): Static<typeof memberSchema> {
  return {
    user_id: member.userId,
    username: member.username,
    role: memberRoleIn(member.role),
    disabled: member.disabled,
    attributes: { ...member.attributes },
    ...(member.displayName !== undefined && { name: member.displayName }),
    ...(member.email !== undefined && { email: member.email }),
    joined_at: momentOf(member.joinedAt),
  }
}

const outcomes: Readonly<Record<number, AssignmentOutcome>> = {
  [MemberOutcome.MEMBER_OUTCOME_DONE]: AssignmentOutcome.ASSIGNMENT_OUTCOME_DONE,
  [MemberOutcome.MEMBER_OUTCOME_UNCHANGED]: AssignmentOutcome.ASSIGNMENT_OUTCOME_UNCHANGED,
  [MemberOutcome.MEMBER_OUTCOME_REFUSED]: AssignmentOutcome.ASSIGNMENT_OUTCOME_REFUSED,
}

function memberResult(result: MemberResult | undefined) {
  const outcome = result && outcomes[result.outcome]
  return resultBody(result && outcome !== undefined ? { ...result, outcome } : undefined)
}
