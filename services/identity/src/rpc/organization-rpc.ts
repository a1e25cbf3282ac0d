import { readActor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import {
  MemberOutcome,
  type MemberResult,
  MemberRole as MemberRoleMessage,
  type NewMember as NewMemberMessage,
  type Organization as OrganizationMessage,
  OrganizationServiceService,
} from '@gatehouse/proto/organization/v1'
import { type MemberRole, memberRoleNames } from '@gatehouse/proto/organizations'
import type { ItemResult } from '../basics/item-result.ts'
import type { NewMember } from '../organizations/member-decision.ts'
import { changeMembers, listMembers, type MemberDeps } from '../organizations/members.ts'
import { findMemberships, listUserOrganizations, type MembershipStore } from '../organizations/membership.ts'
import {
  getOrganization,
  listOrganizations,
  type Organization,
  type OrganizationStore,
} from '../organizations/organization.ts'
import {
  createOrganization,
  deleteOrganization,
  type OrganizationChangeDeps,
  updateOrganization,
} from '../organizations/organization-change.ts'
import type { UserListStore } from '../users/user-list.ts'

/** The needs of the domain functions behind the RPCs about organizations. */
export type OrganizationRpcDeps = OrganizationChangeDeps &
  MemberDeps & {
    organizations: OrganizationStore
    memberships: MembershipStore
    users: Pick<UserListStore, 'get'>
  }

/** The RPCs about organizations and their members. */
export function organizationRpcs(deps: OrganizationRpcDeps): Implementation {
  return implement(OrganizationServiceService, {
    async listOrganizations(request) {
      const { items, nextCursor, total } = await listOrganizations(request, deps.organizations)
      return { organizations: items.map(organizationMessage), nextCursor, total: BigInt(total) }
    },

    getOrganization: async ({ organization }) => ({
      organization: organizationMessage(await getOrganization(organization, deps.organizations)),
    }),

    async createOrganization({
      actor,
      logoUri = '',
      color = '',
      attributes = {},
      ssoRequired = false,
      ...settings
    }) {
      const sent = { ...settings, logoUri, color, attributes, ssoRequired }
      return { organization: organizationMessage(await createOrganization(sent, readActor(actor), deps)) }
    },

    async updateOrganization({ actor, actingMember, organizationId, revision, ...fields }) {
      const change = { organizationId, revision, ...setIn(fields) }
      const updated = await updateOrganization(change, readActor(actor), deps, actingMember)
      return { organization: organizationMessage(updated) }
    },

    async deleteOrganization({ organizationId, actor }) {
      await deleteOrganization(organizationId, readActor(actor), deps)
      return {}
    },

    async listMembers(request) {
      const { items, nextCursor, total } = await listMembers(request, deps)
      const members = items.map(({ role, attributes, ...member }) => ({
        ...{ ...member, attributes: { ...attributes } },
        role: memberRoleMessage(role),
      }))
      return { members, nextCursor, total: BigInt(total) }
    },

    async changeMembers({ organizationId, set, remove, actor, actingMember }) {
      const change = { organizationId, set: set.map(newMemberOf), remove }
      const results = await changeMembers(change, readActor(actor), deps, actingMember)
      return { set: results.set.map(resultMessage), removed: results.removed.map(resultMessage) }
    },

    async listUserOrganizations(request) {
      const { items, nextCursor } = await listUserOrganizations(request, deps)
      const organizations = items.map(({ organization, role, ...membership }) => ({
        organization: organizationMessage(organization),
        role: memberRoleMessage(role),
        ...membership,
      }))
      return { organizations, nextCursor }
    },

    async findMemberships({ questions }) {
      const answers = await findMemberships(questions, deps.memberships)
      return {
        answers: answers.map((memberships) => ({
          memberships: memberships.map(({ role, ...membership }) => ({
            ...membership,
            role: memberRoleMessage(role),
          })),
        })),
      }
    },
  })
}

/** The fields that are set. */
function setIn<Fields extends object>(fields: Fields) {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as { [Field in keyof Fields]?: NonNullable<Fields[Field]> }
}

/** Translates an organization into its message. */
export function organizationMessage({
  columns,
  attributes,
  ...organization
}: Organization): OrganizationMessage {
  return { ...organization, attributes: { ...attributes }, columns: { ...columns } }
}

const roleMessages: Record<MemberRole, MemberRoleMessage> = {
  member: MemberRoleMessage.MEMBER_ROLE_MEMBER,
  admin: MemberRoleMessage.MEMBER_ROLE_ADMIN,
  owner: MemberRoleMessage.MEMBER_ROLE_OWNER,
}

/** Translates what a member is. */
export function memberRoleMessage(role: MemberRole): MemberRoleMessage {
  return roleMessages[role]
}

/** Reads what somebody is to be. @throws Refusal invalid_request */
export function memberRoleOf(message: MemberRoleMessage): MemberRole {
  const role = memberRoleNames.find((name) => roleMessages[name] === message)
  if (role === undefined)
    throw new Refusal('invalid_request', `role must be one of ${memberRoleNames.join(', ')}.`)
  return role
}

function newMemberOf({ role, ...member }: NewMemberMessage): NewMember {
  return { ...member, role: memberRoleOf(role) }
}

const outcomes = {
  done: MemberOutcome.MEMBER_OUTCOME_DONE,
  unchanged: MemberOutcome.MEMBER_OUTCOME_UNCHANGED,
  refused: MemberOutcome.MEMBER_OUTCOME_REFUSED,
} as const

function resultMessage({ outcome, ...result }: ItemResult): MemberResult {
  return { ...result, outcome: outcomes[outcome] }
}
