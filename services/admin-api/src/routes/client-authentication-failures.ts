import type { App } from '@gatehouse/http/app'
import {
  type AuthenticationFailureReason,
  authenticationFailureReasons,
} from '@gatehouse/proto/client-authentication'
import type { ClientAuthenticationFailure } from '@gatehouse/proto/token/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { moment, momentOf } from '../schemas.ts'
import { readTimes, timeFilters } from '../time-filter.ts'

const reasons = Object.keys(authenticationFailureReasons) as AuthenticationFailureReason[]
const remarks = Object.entries(authenticationFailureReasons).map(
  ([name, remark]) => `\`${name}\`${remark && ` (${remark})`}`,
)
const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(remarks)

/** The schema of a failed client authentication. */
export const failureSchema = Type.Object(
  {
    time: moment('When the minute began in which the client failed to authenticate.'),
    client_id: Type.String(),
    reason: Type.String({
      description: `Why: ${alternatives}.`,
    }),
    endpoint: Type.String({ description: '`token`, `introspection` or `revocation`.' }),
    ip_address: Type.Optional(
      Type.String({
        description: 'Absent for several addresses together, which were too many to tell apart.',
      }),
    ),
    count: Type.Integer({ description: 'How often in that minute.' }),
  },
  { title: 'ClientAuthenticationFailure' },
)
/** An example of a failed client authentication. */
export const failureExample = {
  time: '2026-01-01T00:00:00.000Z',
  client_id: '<CLIENT_ID>',
  reason: 'wrong_secret',
  endpoint: 'token',
  ip_address: '192.0.2.7',
  count: 3,
}

/** /admin/api/client-authentication-failures. */
export function clientAuthenticationFailureRoutes(app: App, { tokens }: AdminDeps): void {
  listRoute(app, {
    url: '/client-authentication-failures',
    operationId: 'listClientAuthenticationFailures',
    summary: 'List client authentications that failed in the last 30 days, newest first',
    description:
      'Equal failures of a minute are counted together. New ones are listed after some seconds. A client_id that no client has is not stored: it may be a secret in the wrong place.',
    filters: {
      client_id: Type.Optional(Type.String({ description: 'Only failures of this client.' })),
      ip_address: Type.Optional(Type.String({ description: 'Only failures from this IP address.' })),
      reason: Type.Optional(Type.Enum(reasons)),
      ...timeFilters,
    },
    item: failureSchema,
    answer: 'The failed client authentications.',
    example: failureExample,
    async find({ cursor, limit, client_id: clientId, ip_address: ipAddress, reason, ...times }) {
      const filter = { clientId: clientId || undefined, ipAddress: ipAddress || undefined, reason }
      const request = { cursor, limit, ...filter, ...readTimes(times) }
      const { failures, nextCursor } = await tokens.listClientAuthenticationFailures(request)
      return { items: failures.map(failureBody), nextCursor }
    },
  })
}

/** A failed client authentication as the API shows it. */
export function failureBody({ time, clientId, ipAddress, count, ...failure }: ClientAuthenticationFailure) {
  return {
    time: momentOf(time),
    client_id: clientId,
    reason: failure.reason,
    endpoint: failure.endpoint,
    ...(ipAddress !== undefined && { ip_address: ipAddress }),
    count: Number(count),
  }
}
