import type { App } from '@gatehouse/http/app'
import { Type } from '@gatehouse/proto/typebox'
import { activityKinds, activityLists } from '../activity.ts'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { mergeLists } from '../merge.ts'
import { readTimes, timeFilters } from '../time-filter.ts'
import { entrySchema } from './audit.ts'
import { failureSchema } from './client-authentication-failures.ts'
import { loginExample, loginSchema } from './logins.ts'

/** How far the list goes back, in milliseconds: as long as logins and failed client authentications are kept. */
const kept = 30 * 86_400_000

const kind = <Name extends string>(name: Name) => Type.Object({ kind: Type.Literal(name) })

const activitySchema = Type.Union(
  [
    Type.Intersect([kind('login'), loginSchema]),
    Type.Intersect([kind('client_authentication_failure'), failureSchema]),
    Type.Intersect([kind('action'), entrySchema]),
  ],
  {
    title: 'Activity',
    description:
      'A login, a failed client authentication, or an action of an administrator: `kind` says which.',
  },
)

/** /admin/api/activity. */
export function activityRoutes(app: App, deps: AdminDeps): void {
  listRoute(app, {
    url: '/activity',
    operationId: 'listActivity',
    summary: 'List what happened in the last 30 days, newest first',
    description:
      'Logins, failed client authentications and actions of administrators in one list. Older actions are in the audit log. New failures of clients are listed after some seconds, at the minute in which they happened.',
    filters: {
      kind: Type.Optional(Type.Enum([...activityKinds], { description: 'Only activity of this kind.' })),
      user_id: Type.Optional(
        Type.String({
          description: 'Only logins of this user, and actions that they did or that were done to them.',
        }),
      ),
      client_id: Type.Optional(
        Type.String({
          description:
            'Only logins for this client, its failed authentications, and actions that it did or that were done to it.',
        }),
      ),
      ip_address: Type.Optional(Type.String({ description: 'Only what came from this IP address.' })),
      outcome: Type.Optional(
        Type.Enum(['succeeded', 'failed'], {
          description: 'Only what failed, or only what succeeded. Every action succeeded.',
        }),
      ),
      ...timeFilters,
    },
    item: activitySchema,
    answer: 'What happened.',
    example: { kind: 'login', ...loginExample },
    async find({ cursor, limit, user_id: userId, client_id: clientId, ...wanted }) {
      const { kind, outcome, ip_address: ipAddress, ...times } = wanted
      const { since = new Date(0), until } = readTimes(times)
      const filter = {
        kind,
        userId: userId || undefined,
        clientId: clientId || undefined,
        ipAddress: ipAddress || undefined,
        outcome,
        since: later(since, new Date(Date.now() - kept)),
      }
      return mergeLists(activityLists(filter, deps), { cursor, limit, until })
    },
  })
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other
}
