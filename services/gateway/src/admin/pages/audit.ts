import { readAuditLog } from '@gatehouse/admin-api/audit-log'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { ActorKind, type AuditEntry } from '@gatehouse/proto/audit/v1'
import { pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'

const section = '/admin/audit'

/** /admin/audit, the log of what administrators did. */
export function auditPage(app: App, { auditLogs }: Pick<AdminDeps, 'auditLogs'>): void {
  app.route({
    method: 'GET',
    url: section,
    config: { page: true },
    schema: pageSchema,
    async handler(request, reply) {
      const { actor_id: actorId = '', target: typed = '', cursor = '' } = queryFrom(request)
      const target = typed.trim()
      const list = await readAuditLog(auditLogs, { cursor, limit: pageSize, actorId, target })
      const filter = { ...(actorId && { actor_id: actorId }), ...(target && { target }) }
      return sendAdminPage(request, reply, 'admin/audit', {
        items: list.items.map(factsOf),
        ...pagesOf(section, filter, cursor, list.nextCursor),
        actorId,
        target,
      })
    },
  })
}

function factsOf({ time, actor, action, target, before, after }: AuditEntry) {
  return {
    time,
    actor: actor?.kind === ActorKind.ACTOR_KIND_CLIENT ? `client ${actor.id}` : (actor?.name ?? ''),
    actorId: actor?.id ?? '',
    ipAddress: actor?.ipAddress ?? '',
    action,
    target,
    targetPath: pathOf(action, target),
    changes: changesOf(before, after),
  }
}

/** The path of the page about the action's target; empty when it has none. */
function pathOf(action: string, target: string): string {
  const id = encodeURIComponent(target)
  if (action.endsWith('.delete')) return ''
  if (action.startsWith('client.') || target.startsWith('client_')) return `/admin/clients/${id}`
  return action.startsWith('user.') ? `/admin/users/${id}` : ''
}

/** Describes the change of each field, including fields that were added or removed. */
function changesOf(before: string, after: string): string[] {
  const was = read(before)
  const is = read(after)
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  return [...names].map((name) => {
    if (before === '') return `${name}: ${show(is[name])}`
    return `${name}: ${show(was[name])} → ${show(is[name])}`
  })
}

function read(json: string): Record<string, unknown> {
  return json === '' ? {} : (JSON.parse(json) as Record<string, unknown>)
}

function show(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  if (Array.isArray(value)) return value.map(show).join(' ') || '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
