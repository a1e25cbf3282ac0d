import type { App } from '@gatehouse/http/app'
import { ActorKind, type AuditEntry } from '@gatehouse/proto/audit/v1'
import { Type } from 'typebox'
import { readAuditLog } from '../audit-log.ts'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { moment, momentOf } from '../schemas.ts'
import { readTimes, timeFilters } from '../time-filter.ts'

const state = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }))

const entrySchema = Type.Object(
  {
    entry_id: Type.String({ format: 'uuid' }),
    time: moment('When it was done.'),
    actor: Type.Object(
      {
        kind: Type.Enum(['user', 'client']),
        id: Type.String(),
        name: Type.String(),
        ip_address: Type.String(),
      },
      { description: 'Who did it: a user, or a client by an access token of its own.' },
    ),
    action: Type.String({ description: 'As `client.update`.' }),
    target: Type.String({ description: 'The id of what it was done to.' }),
    before: state('What was changed, as it was. Absent: there was nothing.'),
    after: state('What was changed, as it is then. Absent: there is nothing.'),
  },
  { title: 'AuditEntry' },
)
const example = {
  entry_id: '019b7a5e-0000-7000-8000-000000000004',
  time: '2026-01-01T00:00:00.000Z',
  actor: {
    kind: 'user',
    id: '019b7a5e-0000-7000-8000-000000000002',
    name: 'ann',
    ip_address: '192.0.2.7',
  },
  action: 'client.update',
  target: '<CLIENT_ID>',
  before: { disabled: false },
  after: { disabled: true },
}

/** /admin/api/audit. */
export function auditRoutes(app: App, { auditLogs }: AdminDeps): void {
  listRoute(app, {
    url: '/audit',
    operationId: 'listAuditEntries',
    summary: 'List what administrators did, the newest first',
    filters: {
      actor_id: Type.Optional(Type.String({ description: 'Only what this user or client did.' })),
      target: Type.Optional(Type.String({ description: 'Only what was done to this.' })),
      action: Type.Optional(Type.String({ description: 'Only this, as `client.update`.' })),
      ...timeFilters,
    },
    item: entrySchema,
    answer: 'What was done, without secrets.',
    example,
    async find({ cursor, limit, actor_id: actorId = '', target = '', action = '', ...times }) {
      const request = { cursor, limit, actorId, target, action, ...readTimes(times) }
      const { items, nextCursor } = await readAuditLog(auditLogs, request)
      return { items: items.map(entryBody), nextCursor }
    },
  })
}

function entryBody({ entryId, time, actor, action, target, before, after }: AuditEntry) {
  if (actor === undefined) throw new Error('a service gave no actor')
  return {
    entry_id: entryId,
    time: momentOf(time),
    actor: {
      kind: actor.kind === ActorKind.ACTOR_KIND_USER ? ('user' as const) : ('client' as const),
      id: actor.id,
      name: actor.name,
      ip_address: actor.ipAddress,
    },
    action,
    target,
    ...(before !== '' && { before: JSON.parse(before) as Record<string, unknown> }),
    ...(after !== '' && { after: JSON.parse(after) as Record<string, unknown> }),
  }
}
