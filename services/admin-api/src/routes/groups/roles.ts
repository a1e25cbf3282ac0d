import type { App } from '@gatehouse/http/app'
import type { ListHeldRolesRequest } from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../../deps.ts'
import { listRoute } from '../../list.ts'
import { operationRoute } from '../../operation.ts'
import { idIn } from './assignment-result.ts'
import { type GroupPlace, inInstance, placeIn } from './group-place.ts'
import {
  heldRoleBody,
  heldRoleExample,
  heldRoleSchema,
  holdersChange,
  type NamedHolder,
  type NamedRole,
  roleHolderBody,
  roleHolderExample,
  roleHolderSchema,
  rolesChange,
} from './role-body.ts'
import { type Asked, changeRoles, checkRole, resourceServersOf } from './role-changes.ts'

const rules =
  'Roles are taken first, then given; each has a result of its own. They are roles of resource servers and give nothing in the administration. Taking one ends the access tokens that were made by it. Only administrators without limits change roles of administrators, and of groups of which an administrator is a member.'

/** The roles of users, of groups, and those who have a role, in the instance or in an organization. */
export function roleRoutes(
  app: App,
  deps: AdminDeps,
  { path, userPath, name, words }: GroupPlace = inInstance,
): void {
  const user = name === '' ? 'User' : 'Member'
  const { identity } = deps

  /** A page of the roles of a user or a group. */
  async function heldRoles(request: ListHeldRolesRequest) {
    const { roles, nextCursor } = await identity.listHeldRoles(request)
    const ids = roles.map(({ resourceId }) => resourceId)
    const servers = await resourceServersOf(ids, deps)
    return { items: roles.map((role) => heldRoleBody(role, servers.get(role.resourceId))), nextCursor }
  }

  listRoute(app, {
    url: `${userPath}/roles`,
    operationId: `list${user}Roles`,
    summary: `List the roles of a ${user.toLowerCase()}${words} by resource server`,
    description: 'They are roles of resource servers. The role in the administration is a field of the user.',
    filters: {
      effective: Type.Optional(
        Type.Boolean({ description: 'Whether the roles of their groups are listed, too; by default not.' }),
      ),
    },
    item: heldRoleSchema,
    answer: 'The roles.',
    example: heldRoleExample,
    refusals: ['not_found'],
    find: ({ effective = false, ...page }, { user_id: value, ...place }) =>
      heldRoles({ ...page, effective, holder: { $case: 'userId', value }, ...placeIn(place) }),
  })

  listRoute(app, {
    url: `${path}/groups/:group_id/roles`,
    operationId: `list${name}GroupRoles`,
    summary: `List the roles of a group${words} by resource server`,
    filters: {},
    item: heldRoleSchema,
    answer: 'The roles.',
    example: heldRoleExample,
    refusals: ['not_found'],
    find: (page, { group_id: value, ...place }) =>
      heldRoles({ ...page, effective: false, holder: { $case: 'groupId', value }, ...placeIn(place) }),
  })

  listRoute(app, {
    url: `${path}/resources/:resource_id/roles/:role/holders`,
    operationId: `list${name}RoleHolders`,
    summary: `List the users and groups${words} that have a role, oldest first`,
    description:
      'Those to whom the role was given: members of a group have its roles without being listed here. Clients have theirs among their fields.',
    filters: {},
    item: roleHolderSchema,
    answer: 'The users and groups.',
    example: roleHolderExample,
    refusals: ['not_found'],
    async find(page, { resource_id: resourceId, role, ...params }) {
      const place = placeIn(params)
      const { holders, nextCursor } = await identity.listRoleHolders({ ...page, resourceId, role, ...place })
      if (holders.length === 0) await checkRole(resourceId, role, deps, place)
      return { items: holders.map(roleHolderBody), nextCursor }
    },
  })

  operationRoute(app, {
    route: `PATCH ${userPath}/roles`,
    operationId: `change${user}Roles`,
    summary: `Give roles to a ${user.toLowerCase()}${words}, and take roles`,
    description: rules,
    ...rolesChange,
    refusals: ['not_found'],
    async perform({ params, body, actor }) {
      const { user_id: userId, ...rest } = params
      const [place, holder] = [placeIn(rest), { $case: 'userId', value: userId } as const]
      // In an organization only members are found.
      if (place.organizationId === undefined) await identity.getUser({ userId })
      else await identity.listHeldRoles({ ...place, holder, effective: false, limit: 1 })
      return changeRolesOf(holder, body, actor, place)
    },
  })

  operationRoute(app, {
    route: `PATCH ${path}/groups/:group_id/roles`,
    operationId: `change${name}GroupRoles`,
    summary: `Give roles to a group${words}, and take roles`,
    description: rules,
    ...rolesChange,
    refusals: ['not_found'],
    async perform({ params, body, actor }) {
      const { group_id: groupId, ...place } = params
      await identity.getGroup({ groupId, ...placeIn(place) })
      return changeRolesOf({ $case: 'groupId', value: groupId }, body, actor, placeIn(place))
    },
  })

  operationRoute(app, {
    route: `PATCH ${path}/resources/:resource_id/roles/:role/holders`,
    operationId: `change${name}RoleHolders`,
    summary: `Give a role to users and groups${words}, and take it`,
    description: rules,
    ...holdersChange,
    refusals: ['not_found'],
    async perform({ params, body: { give = [], take = [] }, actor }) {
      const { resource_id: resourceId, role, ...rest } = params
      const place = placeIn(rest)
      await checkRole(resourceId, role, deps, place)
      const asked = (holder: NamedHolder) => assignmentFor(resourceId, role, holder)
      const changed = await changeRoles({ give: give.map(asked), take: take.map(asked) }, actor, deps, place)
      return {
        given: changed.given.map((result, index) => ({ ...give[index], ...result })),
        taken: changed.taken.map((result, index) => ({ ...take[index], ...result })),
      }
    },
  })

  async function changeRolesOf(
    holder: NonNullable<ListHeldRolesRequest['holder']>,
    { give = [], take = [] }: { give?: NamedRole[]; take?: NamedRole[] },
    actor: Parameters<typeof changeRoles>[1],
    place: ReturnType<typeof placeIn>,
  ) {
    const asked = ({ resource_id: id, role }: NamedRole): Asked => ({ resourceId: idIn(id), role, holder })
    const changed = await changeRoles({ give: give.map(asked), take: take.map(asked) }, actor, deps, place)
    const named = (roles: readonly NamedRole[], results: (typeof changed)['given']) =>
      roles.flatMap((role, index) => {
        const result = results[index]
        return result === undefined ? [] : [{ ...role, ...result }]
      })
    return { given: named(give, changed.given), taken: named(take, changed.taken) }
  }
}

function assignmentFor(
  resourceId: string,
  role: string,
  { user_id: userId, group_id: groupId }: NamedHolder,
): Asked {
  if ((userId === undefined) === (groupId === undefined)) return 'It must have either user_id or group_id.'
  const holder =
    userId !== undefined
      ? ({ $case: 'userId', value: idIn(userId) } as const)
      : ({ $case: 'groupId', value: idIn(groupId ?? '') } as const)
  return { resourceId, role, holder }
}
