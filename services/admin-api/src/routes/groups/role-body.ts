import { unchecked } from '@gatehouse/http/schemas'
import type { ResourceServer } from '@gatehouse/proto/clientregistry/v1'
import { groupLimits } from '@gatehouse/proto/groups'
import type { HeldRole, RoleHolder } from '@gatehouse/proto/identity/v1'
import { type Static, type TSchema, Type } from '@gatehouse/proto/typebox'
import { moment, momentOf } from '../../schemas.ts'
import { results } from './assignment-result.ts'

const given = moment('When the role was given.')
const role = Type.String({ description: 'The name of the role.' })

/** A role that a user or a group has. */
export const heldRoleSchema = Type.Object(
  {
    resource_id: Type.String(),
    resource: Type.String({ description: 'The identifier of the resource server.' }),
    resource_name: Type.Optional(
      Type.String({ description: 'The name of the resource server; absent if it was deleted.' }),
    ),
    role,
    in_effect: Type.Boolean({
      description: 'False if the resource server has no such role any more: then it gives nothing.',
    }),
    given_at: given,
    group_id: Type.Optional(
      Type.String({ description: 'The group by which a user has the role; absent for one of their own.' }),
    ),
    group_name: Type.Optional(Type.String()),
  },
  { title: 'HeldRole' },
)

/** Such a role for the document. */
export const heldRoleExample = {
  resource_id: '<RESOURCE_ID>',
  resource: 'https://mcp.example.com',
  resource_name: 'Acme tools',
  role: 'editor',
  in_effect: true,
  given_at: '2026-01-01T00:00:00.000Z',
}

/** A user or a group that has a role. */
export const roleHolderSchema = Type.Object(
  {
    user_id: Type.Optional(Type.String({ description: 'The id of a user; absent for a group.' })),
    group_id: Type.Optional(Type.String({ description: 'The id of a group; absent for a user.' })),
    name: Type.String({ description: 'The name of the user or the group.' }),
    given_at: given,
  },
  { title: 'RoleHolder' },
)

/** Such a holder for the document. */
export const roleHolderExample = {
  group_id: '<GROUP_ID>',
  name: 'Developers',
  given_at: '2026-01-01T00:00:00.000Z',
}

const namedRole = { resource_id: Type.String(), role }
const namedHolder = {
  user_id: Type.Optional(Type.String({ description: 'The id of a user.' })),
  group_id: Type.Optional(Type.String({ description: 'The id of a group.' })),
}

/** A role as a request names it. */
export type NamedRole = { resource_id: string; role: string }
/** A user or a group as a request names it. */
export type NamedHolder = { user_id?: string; group_id?: string }

const atOnce = `At most ${groupLimits.atOnce} at once.`
const listOf = <Item extends TSchema>(item: Item, description: string) =>
  Type.Optional(
    Type.Array(item, {
      description: `${description} ${atOnce}`,
      ...unchecked({ maxItems: groupLimits.atOnce }),
    }),
  )

/** The roles that a request gives to a user or a group, and takes from it; and the answer. */
export const rolesChange = {
  body: Type.Object(
    {
      give: listOf(Type.Object(namedRole), 'The roles to give.'),
      take: listOf(Type.Object(namedRole), 'The roles to take.'),
    },
    { title: 'RolesChange', examples: [{ give: [{ resource_id: '<RESOURCE_ID>', role: 'editor' }] }] },
  ),
  answer: {
    200: Type.Object(
      {
        given: results(namedRole, 'The result for each role in `give`.'),
        taken: results(namedRole, 'The result for each role in `take`.'),
      },
      {
        title: 'RolesChanged',
        description: 'What was done.',
        examples: [{ given: [{ resource_id: '<RESOURCE_ID>', role: 'editor', outcome: 'done' }], taken: [] }],
      },
    ),
  },
}

/** The users and groups to whom a request gives a role, and from whom it takes the role; and the answer. */
export const holdersChange = {
  body: Type.Object(
    {
      give: listOf(Type.Object(namedHolder), 'Users and groups that get the role.'),
      take: listOf(Type.Object(namedHolder), 'Users and groups that lose the role.'),
    },
    { title: 'RoleHoldersChange', examples: [{ give: [{ group_id: '<GROUP_ID>' }] }] },
  ),
  answer: {
    200: Type.Object(
      {
        given: results(namedHolder, 'The result for each in `give`.'),
        taken: results(namedHolder, 'The result for each in `take`.'),
      },
      {
        title: 'RoleHoldersChanged',
        description: 'What was done.',
        examples: [{ given: [{ group_id: '<GROUP_ID>', outcome: 'done' }], taken: [] }],
      },
    ),
  },
}

/** A role that a user or a group has as JSON. @param found its resource server; undefined if it was deleted */
export function heldRoleBody(
  { resourceId, resource, role, givenAt, groupId, groupName }: HeldRole,
  found: ResourceServer | undefined,
): Static<typeof heldRoleSchema> {
  return {
    resource_id: resourceId,
    resource,
    ...(found && { resource_name: found.name }),
    role,
    in_effect: hasRole(found, role),
    given_at: momentOf(givenAt),
    ...(groupId !== undefined && { group_id: groupId }),
    ...(groupName !== undefined && { group_name: groupName }),
  }
}

/** Whether a resource server has a role. */
export function hasRole(resourceServer: ResourceServer | undefined, role: string): boolean {
  return resourceServer?.roles.some(({ name }) => name === role) ?? false
}

/** A user or a group that has a role as JSON. */
export function roleHolderBody({ holder, name, givenAt }: RoleHolder): Static<typeof roleHolderSchema> {
  return {
    ...(holder?.$case === 'userId' ? { user_id: holder.value } : { group_id: holder?.value ?? '' }),
    name,
    given_at: momentOf(givenAt),
  }
}
