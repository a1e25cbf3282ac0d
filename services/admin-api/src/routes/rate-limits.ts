import type { App } from '@gatehouse/http/app'
import { type LimitDefinition, limits } from '@gatehouse/proto/limits'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps, RateLimits } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { placeField, placeOf } from '../place.ts'
import { moment, momentOf } from '../schemas.ts'

const described = Object.entries<LimitDefinition>(limits).map(([name, { meaning }]) =>
  meaning === undefined ? `\`${name}\`` : `\`${name}\` (${meaning})`,
)
const nameField = Type.String({
  description: `${described.slice(0, -1).join(', ')}, or ${described.at(-1)}.`,
})
const overSchema = Type.Object(
  {
    limit: nameField,
    client_id: Type.Optional(
      Type.String({
        description: 'The client, if valid credentials of it were sent within the last minute.',
      }),
    ),
    ip_address: Type.String({
      description: 'The address of the last refused request, or for IPv6 its network (/64).',
    }),
    ...placeField,
    refused: Type.Integer({ description: 'How many requests were refused in the window.' }),
    until: moment('When the window ends, and requests are taken again.'),
  },
  { title: 'OverLimit' },
)
const rateLimitsSchema = Type.Object(
  {
    enabled: Type.Boolean({ description: '`OAUTH2_RATE_LIMIT_ENABLED`.' }),
    shared: Type.Boolean({
      description:
        'Whether `items` has what all gateways refused. Without Redis, it is what the gateway refused that answers.',
    }),
    limits: Type.Array(
      Type.Object({
        name: nameField,
        per_minute: Type.Integer({ description: 'How many requests a minute it allows.' }),
      }),
    ),
    items: Type.Array(overSchema),
  },
  {
    title: 'RateLimits',
    description: 'The limits, and who is over one of them now: those who are refused most first.',
    examples: [
      {
        enabled: true,
        shared: false,
        limits: [{ name: 'token', per_minute: 20 }],
        items: [
          {
            limit: 'token',
            client_id: '<CLIENT_ID>',
            ip_address: '192.0.2.7',
            refused: 12,
            until: '2026-01-01T00:00:00.000Z',
          },
        ],
      },
    ],
  },
)

/** /admin/api/rate-limits. */
export function rateLimitsRoute(app: App, deps: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /rate-limits',
    operationId: 'getRateLimits',
    summary: 'Get the rate limits, and who is over one of them now',
    answer: { 200: rateLimitsSchema },
    perform: async () => rateLimitsBody(await deps.rateLimits(), deps),
  })
}

function rateLimitsBody(found: RateLimits | undefined, deps: Pick<AdminDeps, 'places'>) {
  const { perMinute = {}, shared = false, over = [] } = found ?? {}
  return {
    enabled: found !== undefined,
    shared,
    limits: Object.entries(perMinute).map(([name, count]) => ({ name, per_minute: count })),
    items: over.map(({ bucket, clientId, network, refused, until }) => ({
      limit: bucket,
      ...(clientId !== '' && { client_id: clientId }),
      ip_address: network,
      ...placeOf(network, deps),
      refused,
      until: momentOf(new Date(until)),
    })),
  }
}
