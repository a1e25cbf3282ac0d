import type { App } from '@gatehouse/http/app'
import { groups } from '@gatehouse/proto/administered/groups'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../../administered.ts'
import type { AdminDeps } from '../../deps.ts'
import { operationRoute } from '../../operation.ts'
import { done, revisionOf } from '../../schemas.ts'
import { groupBody, groupExample, groupSchema, groupSettings as settings } from './group-body.ts'
import { type GroupPlace, inInstance, placeIn } from './group-place.ts'

const reach = 'Only administrators without limits change a group of which an administrator is a member.'

/** /admin/api/groups, and the same in an organization. */
export function groupRoutes(
  app: App,
  { identity }: AdminDeps,
  { path, name, words }: GroupPlace = inInstance,
): void {
  administeredList(app, groups, {
    operationId: `list${name}Groups`,
    item: groupSchema,
    example: groupExample,
    at: { url: `${path}/groups`, words },
    refusals: path === '' ? [] : ['not_found'],
    find: (request, params) => identity.listGroups({ ...request, ...placeIn(params) }),
    items: ({ groups }) => groups.map(groupBody),
  })

  operationRoute(app, {
    route: `POST ${path}/groups`,
    operationId: `create${name}Group`,
    summary: `Create a group${words}`,
    body: Type.Object(
      { name: settings.name, description: Type.Optional(settings.description) },
      { title: 'GroupToCreate', examples: [{ name: 'Developers', description: 'They write the software.' }] },
    ),
    answer: { 201: groupSchema },
    refusals: path === '' ? [] : ['not_found'],
    async perform({ params, body: { name, description = '' }, actor }) {
      const wanted = { name, description, actor, ...placeIn(params) }
      return groupBody((await identity.createGroup(wanted)).group)
    },
  })

  operationRoute(app, {
    route: `GET ${path}/groups/:group_id`,
    operationId: `get${name}Group`,
    summary: `Get a group${words}`,
    answer: { 200: groupSchema },
    refusals: ['not_found'],
    perform: async ({ params }) =>
      groupBody((await identity.getGroup({ groupId: params.group_id, ...placeIn(params) })).group),
  })

  operationRoute(app, {
    route: `PATCH ${path}/groups/:group_id`,
    operationId: `update${name}Group`,
    summary: `Update a group${words}`,
    description: `Absent fields stay unchanged. A new name ends access tokens that have groups in them. ${reach}`,
    body: Type.Object(
      {
        name: Type.Optional(settings.name),
        description: Type.Optional(settings.description),
        revision: revisionOf('the group'),
      },
      { title: 'GroupChange', examples: [{ name: 'Engineers', revision: 1 }] },
    ),
    answer: { 200: groupSchema },
    refusals: ['outdated_revision', 'not_found'],
    async perform({ params, body: { name, description, revision = 0 }, actor }) {
      const change = { groupId: params.group_id, revision: BigInt(revision), name, description, actor }
      return groupBody((await identity.updateGroup({ ...change, ...placeIn(params) })).group)
    },
  })

  operationRoute(app, {
    route: `DELETE ${path}/groups/:group_id`,
    operationId: `delete${name}Group`,
    summary: `Delete a group${words}`,
    description: `Its members lose its roles, and the access tokens that were made by these end. ${reach}`,
    answer: done('The group is deleted.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) =>
      identity.deleteGroup({ groupId: params.group_id, actor, ...placeIn(params) }),
  })
}
