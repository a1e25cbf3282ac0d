import { readActor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  IdentityServiceService,
  type ListHeldRolesRequest,
  type RoleAssignment as RoleAssignmentMessage,
  type RoleHolder as RoleHolderMessage,
} from '@gatehouse/proto/identity/v1'
import { type AuthorityStore, getAuthorities } from '../roles/authority.ts'
import {
  changeRoles,
  forgetResourceServer,
  type Holder,
  listHeldRoles,
  listRoleHolders,
  type RoleAssignment,
  type RoleAssignmentDeps,
} from '../roles/role-assignment.ts'
import { resultMessage } from './group-rpc.ts'

/** The needs of the domain functions behind the RPCs about roles. */
export type RoleRpcDeps = RoleAssignmentDeps & { authorities: AuthorityStore }

/** The RPCs about the roles of users and groups. */
export function roleRpcs(deps: RoleRpcDeps) {
  return handlersOf(IdentityServiceService, {
    async getAuthorities({ questions }) {
      const authorities = await getAuthorities(questions, deps.authorities)
      return {
        authorities: authorities.map(({ roles, groups, ...rest }) => ({
          ...rest,
          roles: roles.map(({ resourceId, roles }) => ({ resourceId, roles: [...roles] })),
          groups: [...groups],
        })),
      }
    },

    async listHeldRoles({ holder, organizationId, ...request }) {
      const wanted = { ...request, holder: holderOf(holder) }
      const { items, nextCursor } = await listHeldRoles(wanted, deps, organizationId)
      return { roles: items, nextCursor }
    },

    async listRoleHolders({ organizationId, ...request }) {
      const { items, nextCursor } = await listRoleHolders(request, deps, organizationId)
      const holders = items.map(({ holder, ...item }) => ({ ...item, holder: holderMessage(holder) }))
      return { holders, nextCursor }
    },

    async changeRoles({ give, take, actor, ...place }) {
      const wanted = { give: give.map(assignmentOf), take: take.map(assignmentOf) }
      const { given, taken } = await changeRoles(wanted, readActor(actor), deps, place)
      return { given: given.map(resultMessage), taken: taken.map(resultMessage) }
    },

    async forgetResourceServer(request) {
      await forgetResourceServer(request, deps)
      return {}
    },
  })
}

function assignmentOf({ holder, ...assignment }: RoleAssignmentMessage): RoleAssignment {
  return { ...assignment, holder: holderOf(holder) }
}

/** @throws Refusal invalid_request */
function holderOf(message: ListHeldRolesRequest['holder']): Holder {
  if (message === undefined) throw new Refusal('invalid_request', 'The user or the group is missing.')
  return { kind: message.$case === 'userId' ? 'user' : 'group', id: message.value }
}

function holderMessage({ kind, id }: Holder): RoleHolderMessage['holder'] {
  return { $case: kind === 'user' ? 'userId' : 'groupId', value: id }
}
