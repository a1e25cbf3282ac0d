import type { App } from '@gatehouse/http/app'
import type { Link } from '@gatehouse/proto/connection/v1'
import { type Static, Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../../deps.ts'
import { listRoute } from '../../list.ts'
import { operationRoute } from '../../operation.ts'
import { done, moment, momentOf } from '../../schemas.ts'

const linkSchema = Type.Object(
  {
    connection_id: Type.String(),
    connection_name: Type.String(),
    issuer: Type.String({ description: 'The issuer that named the person.' }),
    subject: Type.String({ description: 'By which the issuer names the person.' }),
    user_id: Type.String(),
    username: Type.String(),
    display_name: Type.String({
      description:
        'The provider’s name for them at their last login, for people to read: nothing may be decided by it.',
    }),
    linked_at: moment('When the account was linked.'),
    last_login_at: Type.Optional(
      moment('When they last logged in by it; absent if they have not since it was linked.'),
    ),
    orphaned: Type.Boolean({
      description: 'Whether the connection has another issuer now, so that the link leads to nobody.',
    }),
    disabled: Type.Boolean({ description: 'Whether the connection is disabled.' }),
    organization: Type.Optional(
      Type.String({ description: 'The organization of the connection; absent for the instance.' }),
    ),
    organization_name: Type.Optional(Type.String()),
  },
  { title: 'ConnectionLink' },
)
const example = {
  ...{ connection_id: '<CONNECTION_ID>', connection_name: 'Acme', issuer: 'https://login.acme.example' },
  ...{ subject: '248289761001', user_id: '<USER_ID>', username: 'ann', display_name: 'Ann Example' },
  ...{ linked_at: '2026-01-01T00:00:00.000Z', last_login_at: '2026-01-02T00:00:00.000Z' },
  ...{ orphaned: false, disabled: false },
}

/** /admin/api/connections/{connection_id}/links and /admin/api/users/{user_id}/links. */
export function linkRoutes(app: App, { connectionService }: AdminDeps): void {
  const shared = { filters: {}, item: linkSchema, answer: 'The links.', example }
  listRoute(app, {
    ...shared,
    url: '/connections/:connection_id/links',
    operationId: 'listConnectionLinks',
    summary: 'List the links of a connection, newest first',
    description: 'Who is which user, and those that lead to nobody now.',
    refusals: ['not_found'],
    async find(page, { connection_id: connectionId }) {
      const { links, nextCursor } = await connectionService.listLinks({ ...page, connectionId })
      return { items: links.map(linkBody), nextCursor }
    },
  })

  operationRoute(app, {
    route: 'DELETE /connections/:connection_id/links',
    operationId: 'removeConnectionLink',
    summary: 'Remove a link',
    description:
      'The logins of the user that came by it end, and what was granted after them. The user stays, even without another way to log in.',
    query: {
      issuer: Type.String({ description: 'The issuer of the link.' }),
      subject: Type.String({ description: 'The subject of the link.' }),
    },
    answer: done('The link is removed.'),
    refusals: ['not_found'],
    perform: ({ params: { connection_id: connectionId }, query: { issuer, subject }, actor }) =>
      connectionService.removeLink({ connectionId, issuer, subject, actor }),
  })

  listRoute(app, {
    ...shared,
    url: '/users/:user_id/links',
    operationId: 'listUserLinks',
    summary: 'List the links of a user to connections, newest first',
    description: 'Those of disabled connections, and those that lead to nobody now, too.',
    refusals: ['not_found'],
    async find(page, { user_id: userId }) {
      const { links, nextCursor } = await connectionService.listLinks({ ...page, userId })
      return { items: links.map(linkBody), nextCursor }
    },
  })
}

function linkBody(link: Link): Static<typeof linkSchema> {
  return {
    ...{ connection_id: link.connectionId, connection_name: link.connectionName },
    ...{ issuer: link.issuer, subject: link.subject, user_id: link.userId, username: link.username },
    display_name: link.displayName,
    linked_at: momentOf(link.linkedAt),
    ...(link.lastLoginAt && { last_login_at: momentOf(link.lastLoginAt) }),
    orphaned: link.orphaned,
    disabled: link.disabled,
    ...(link.organizationId !== undefined && { organization: link.organizationId }),
    ...(link.organizationName !== undefined && { organization_name: link.organizationName }),
  }
}
