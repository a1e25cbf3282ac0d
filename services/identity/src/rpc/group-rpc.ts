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

/** The needs of the domain functions behind the RPCs about groups. */
export type GroupRpcDeps = GroupChangeDeps & GroupMemberDeps & { groups: GroupStore }

/** The RPCs with which administrators view and change groups and their members. */
export function groupRpcs(deps: GroupRpcDeps) {
  const { groups } = deps
  return handlersOf(IdentityServiceService, {
    async listGroups(request) {
      const { items, nextCursor, total } = await listAdministered(definition, request, groups.in(undefined))
      return { groups: items.map(groupMessage), nextCursor, total: BigInt(total) }
    },

    getGroup: async ({ groupId }) => ({ group: groupMessage(await getGroup(groupId, groups)) }),

    createGroup: async ({ actor, ...settings }) => ({
      group: groupMessage(await createGroup(settings, readActor(actor), deps)),
    }),

    async updateGroup({ actor, groupId, revision, name, description }) {
      const change = {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      }
      return {
        group: groupMessage(await updateGroup({ groupId, revision, ...change }, readActor(actor), deps)),
      }
    },

    async deleteGroup({ groupId, actor }) {
      await deleteGroup(groupId, readActor(actor), deps)
      return {}
    },

    async listGroupMembers(request) {
      const { items, nextCursor, total } = await listMembers(request, deps)
      return { members: items, nextCursor, total: BigInt(total) }
    },

    async changeGroupMembers({ actor, ...change }) {
      const { added, removed } = await changeMembers(change, readActor(actor), deps)
      return { added: added.map(resultMessage), removed: removed.map(resultMessage) }
    },

    async listUserGroups(request) {
      const { items, nextCursor } = await listUserGroups(request, deps)
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
