import type { App } from '@gatehouse/http/app'
import { mostItems } from '@gatehouse/kit/page'
import { ActorKind, type AuditEntry } from '@gatehouse/proto/audit/v1'
import { Type } from '@gatehouse/proto/typebox'
import { readFeed } from '../audit-feed.ts'
import { entriesOf } from '../audit-log.ts'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { mergeLists } from '../merge.ts'
import { operationRoute } from '../operation.ts'
import { moment, momentOf } from '../schemas.ts'
import { readTimes, timeFilters } from '../time-filter.ts'

const state = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }))

/** The schema of an audit entry. */
export const entrySchema = Type.Object(
  {
    entry_id: Type.String({ format: 'uuid' }),
    time: moment('When the action was performed.'),
    actor: Type.Object(
      {
        kind: Type.Enum(['user', 'client']),
        id: Type.String(),
        name: Type.String(),
        ip_address: Type.String(),
        user_agent: Type.Optional(
          Type.String({
            description: 'The User-Agent header; absent if there was none, or it was not recorded yet.',
          }),
        ),
      },
      {
        description:
          'Who performed the action, and from where: a user, or a client with an access token of its own.',
      },
    ),
    action: Type.String({ description: 'The action, such as `client.update`.' }),
    target: Type.String({ description: 'The id of the target of the action.' }),
    before: state('The changed fields before the action; absent if the target did not exist.'),
    after: state('The changed fields after the action; absent if the target no longer exists.'),
  },
  { title: 'AuditEntry' },
)
/** An example of an audit entry. */
export const entryExample = {
  entry_id: '019b7a5e-0000-7000-8000-000000000004',
  time: '2026-01-01T00:00:00.000Z',
  actor: {
    kind: 'user',
    id: '019b7a5e-0000-7000-8000-000000000002',
    name: 'ann',
    ip_address: '192.0.2.7',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  },
  action: 'client.update',
  target: '<CLIENT_ID>',
  before: { disabled: false },
  after: { disabled: true },
}

const cursor = Type.String({ description: 'The cursor to go on behind the entry.' })
const feedSchema = Type.Object(
  {
    items: Type.Array(Type.Object({ cursor, entry: entrySchema }, { title: 'AuditFeedItem' })),
    cursor: Type.String({ description: 'The cursor to go on with, also when there are no items yet.' }),
    more: Type.Boolean({ description: 'Whether there are more now. If not, ask again in some seconds.' }),
  },
  {
    title: 'AuditFeed',
    description: 'The actions, without secrets, and where to go on.',
    examples: [{ items: [{ cursor: 'WyI0Il0', entry: entryExample }], cursor: 'WyI0Il0', more: false }],
  },
)

/** /admin/api/audit, and /admin/api/audit/feed. */
export function auditRoutes(app: App, deps: AdminDeps): void {
  feedRoute(app, deps)
  listRoute(app, {
    url: '/audit',
    operationId: 'listAuditEntries',
    summary: 'List the actions of administrators, newest first',
    filters: {
      actor_id: Type.Optional(Type.String({ description: 'Only actions of this user or client.' })),
      target: Type.Optional(Type.String({ description: 'Only actions on this target.' })),
      action: Type.Optional(Type.String({ description: 'Only this action, such as `client.update`.' })),
      ...timeFilters,
    },
    item: entrySchema,
    answer: 'The actions, without secrets.',
    example: entryExample,
    async find({ cursor, limit, actor_id: actorId, target, action, ...times }) {
      const { since, until } = readTimes(times)
      const filter = {
        ...{ actorId: actorId || undefined, target: target || undefined, action: action || undefined, since },
      }
      const logs = deps.auditLogs.map((log) => entriesOf(log, filter))
      const { items, nextCursor } = await mergeLists(logs, { cursor, limit, until })
      return { items: items.map(entryBody), nextCursor }
    },
  })
}

/** /admin/api/audit/feed. */
function feedRoute(app: App, { auditLogs }: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /audit/feed',
    operationId: 'followAuditEntries',
    summary: 'Follow the actions of administrators, oldest first',
    description:
      'Who goes on with the cursor gets each action once, also one whose transaction was committed after those of later ones.',
    query: {
      cursor: Type.Optional(Type.String({ description: 'The cursor of the answer or item before.' })),
      since: timeFilters.since,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: mostItems,
          default: mostItems,
          description: 'The largest number of items.',
        }),
      ),
    },
    answer: { 200: feedSchema },
    refusals: ['invalid_request'],
    async perform({ query: { cursor, limit = mostItems, ...times } }) {
      const wanted = { cursor: cursor || undefined, limit, since: readTimes(times).since }
      const { items, ...end } = await readFeed(wanted, auditLogs)
      return { ...end, items: items.map(({ entry, cursor }) => ({ cursor, entry: entryBody(entry) })) }
    },
  })
}

/** An audit entry as the API shows it. */
export function entryBody({ entryId, time, actor, action, target, before, after }: AuditEntry) {
  if (actor === undefined) throw new Error('a service gave no actor')
  return {
    entry_id: entryId,
    time: momentOf(time),
    actor: {
      kind: actor.kind === ActorKind.ACTOR_KIND_USER ? ('user' as const) : ('client' as const),
      id: actor.id,
      name: actor.name,
      ip_address: actor.ipAddress,
      ...(actor.userAgent !== undefined && { user_agent: actor.userAgent }),
    },
    action,
    target,
    ...(before !== undefined && { before: JSON.parse(before) as Record<string, unknown> }),
    ...(after !== undefined && { after: JSON.parse(after) as Record<string, unknown> }),
  }
}
