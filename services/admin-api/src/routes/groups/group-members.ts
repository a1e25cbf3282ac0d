import type { App } from '@gatehouse/http/app'
import { unchecked } from '@gatehouse/http/schemas'
import { groupLimits } from '@gatehouse/proto/groups'
import type { GroupMember } from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../../deps.ts'
import { listRoute } from '../../list.ts'
import { operationRoute } from '../../operation.ts'
import { moment, momentOf } from '../../schemas.ts'
import { idIn, longDeadline, resultBody, results, userId } from './assignment-result.ts'
import { groupBody, groupExample, groupSchema } from './group-body.ts'
import { type GroupPlace, inInstance, placeIn } from './group-place.ts'

const memberSchema = Type.Object(
  {
    user_id: Type.String(),
    username: Type.String(),
    disabled: Type.Boolean({ description: 'Whether the user is disabled.' }),
    added_at: moment('When the user was added.'),
  },
  { title: 'GroupMember' },
)
const memberExample = {
  user_id: '<USER_ID>',
  username: 'ann',
  disabled: false,
  added_at: '2026-01-01T00:00:00.000Z',
}

const ids = (description: string) =>
  Type.Optional(
    Type.Array(Type.String(), {
      description: `The ids of users. ${description}`,
      ...unchecked({ maxItems: groupLimits.atOnce }),
    }),
  )

const changedSchema = Type.Object(
  {
    added: results(userId, 'The result for each user in `add`.'),
    removed: results(userId, 'The result for each user in `remove`.'),
  },
  {
    title: 'GroupMembersChanged',
    description: 'What was done.',
    examples: [{ added: [{ user_id: '<USER_ID>', outcome: 'done' }], removed: [] }],
  },
)

/** /admin/api/groups/{group_id}/members and /admin/api/users/{user_id}/groups, and the same in an organization. */
export function memberRoutes(
  app: App,
  { identity }: AdminDeps,
  { path, userPath, name, words }: GroupPlace = inInstance,
): void {
  listRoute(app, {
    url: `${path}/groups/:group_id/members`,
    operationId: `list${name}GroupMembers`,
    summary: `List the members of a group${words} by name`,
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
    async find(wanted, { group_id: groupId, ...place }) {
      const request = { ...wanted, groupId, ...placeIn(place) }
      const { members, nextCursor, total } = await identity.listGroupMembers(request)
      return { items: members.map(memberBody), nextCursor, total }
    },
  })

  operationRoute(app, {
    route: `PATCH ${path}/groups/:group_id/members`,
    operationId: `change${name}GroupMembers`,
    summary: `Add members to a group${words}, and remove members`,
    description: `Users are removed first, then added; each has a result of their own. A removed user loses the access tokens that they have roles or groups in. A user is in ${groupLimits.groupsOfUser.toLocaleString('en')} groups at most. Only administrators without limits add and remove administrators.`,
    body: Type.Object(
      {
        add: ids(`At most ${groupLimits.atOnce} are added at once.`),
        remove: ids(`At most ${groupLimits.atOnce} are removed at once.`),
      },
      { title: 'GroupMembersChange', examples: [{ add: ['<USER_ID>'] }] },
    ),
    answer: { 200: changedSchema },
    refusals: ['not_found'],
    async perform({ params, body: { add = [], remove = [] }, actor }) {
      const change = { groupId: params.group_id, add: add.map(idIn), remove: remove.map(idIn), actor }
      const { added, removed } = await identity.changeGroupMembers(
        { ...change, ...placeIn(params) },
        longDeadline(),
      )
      return {
        added: add.map((id, index) => ({ user_id: id, ...resultBody(added[index]) })),
        removed: remove.map((id, index) => ({ user_id: id, ...resultBody(removed[index]) })),
      }
    },
  })

  listRoute(app, {
    url: `${userPath}/groups`,
    operationId: name === '' ? 'listUserGroups' : 'listMemberGroups',
    summary: `List the groups of a ${name === '' ? 'user' : 'member'}${words} by name`,
    filters: {},
    item: groupSchema,
    answer: 'The groups.',
    example: groupExample,
    refusals: ['not_found'],
    async find(page, { user_id: userId, ...place }) {
      const { groups, nextCursor } = await identity.listUserGroups({ ...page, userId, ...placeIn(place) })
      return { items: groups.map(groupBody), nextCursor }
    },
  })
}

function memberBody({ userId, username, disabled, addedAt }: GroupMember) {
  return { user_id: userId, username, disabled, added_at: momentOf(addedAt) }
}
