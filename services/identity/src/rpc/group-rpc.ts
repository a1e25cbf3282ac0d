import { readActor } from '@gatehouse/kit/actor'
import { listAdministered } from '@gatehouse/kit/administered/list-request'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { groups as definition } from '@gatehouse/proto/administered/groups'
import {
  AssignmentOutcome,
  type AssignmentResult as AssignmentResultMessage,
  type Group as GroupMessage,
  IdentityServiceService,
} from '@gatehouse/proto/identity/v1'
import type { ItemResult } from '../basics/item-result.ts'
import { type Group, type GroupStore, getGroup } from '../groups/group.ts'
import { createGroup, deleteGroup, type GroupChangeDeps, updateGroup } from '../groups/group-change.ts'
import { changeMembers, type GroupMemberDeps, listMembers, listUserGroups } from '../groups/group-members.ts'
import { checkOrganization } from '../organizations/inside.ts'

/** The needs of the domain functions behind the RPCs about groups. */
export type GroupRpcDeps = GroupChangeDeps & GroupMemberDeps & { groups: GroupStore }

/** The RPCs with which administrators view and change groups and their members. */
export function groupRpcs(deps: GroupRpcDeps) {
  const { groups } = deps
  return handlersOf(IdentityServiceService, {
    async listGroups({ organizationId, ...request }) {
      await checkOrganization(organizationId, deps.inside)
      const store = groups.in(organizationId)
      const { items, nextCursor, total } = await listAdministered(definition, request, store)
      return { groups: items.map(groupMessage), nextCursor, total: BigInt(total) }
    },

    getGroup: async ({ groupId, organizationId }) => ({
      group: groupMessage(await getGroup(groupId, groups, organizationId)),
    }),

    createGroup: async ({ actor, organizationId, actingMember, ...settings }) => ({
      group: groupMessage(
        await createGroup(settings, readActor(actor), deps, { organizationId, actingMember }),
      ),
    }),

    async updateGroup({ actor, groupId, revision, name, description, ...place }) {
      const change = {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      }
      return {
        group: groupMessage(
          await updateGroup({ groupId, revision, ...change }, readActor(actor), deps, place),
        ),
      }
    },

    async deleteGroup({ groupId, actor, ...place }) {
      await deleteGroup(groupId, readActor(actor), deps, place)
      return {}
    },

    async listGroupMembers({ organizationId, ...request }) {
      const { items, nextCursor, total } = await listMembers(request, deps, organizationId)
      return { members: items, nextCursor, total: BigInt(total) }
    },

    async changeGroupMembers({ actor, organizationId, actingMember, ...change }) {
      const place = { organizationId, actingMember }
      const { added, removed } = await changeMembers(change, readActor(actor), deps, place)
      return { added: added.map(resultMessage), removed: removed.map(resultMessage) }
    },

    async listUserGroups({ organizationId, ...request }) {
      const { items, nextCursor } = await listUserGroups(request, deps, organizationId)
      return { groups: items.map(groupMessage), nextCursor }
    },
  })
}

const outcomes = {
  done: AssignmentOutcome.ASSIGNMENT_OUTCOME_DONE,
  unchanged: AssignmentOutcome.ASSIGNMENT_OUTCOME_UNCHANGED,
  refused: AssignmentOutcome.ASSIGNMENT_OUTCOME_REFUSED,
} as const

/** Translates the result for one member or role. */
export function resultMessage({ outcome, ...result }: ItemResult): AssignmentResultMessage {
  return { ...result, outcome: outcomes[outcome] }
}

function groupMessage({ columns, ...group }: Group): GroupMessage {
  return { ...group, columns: { ...columns } }
}
