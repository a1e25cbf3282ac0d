import type { App } from '@gatehouse/http/app'
import type { LoginsOfMinute } from '@gatehouse/proto/identity/v1'
import type { UsageOfMinute } from '@gatehouse/proto/token/v1'
import { Type } from '@gatehouse/proto/typebox'
import { usageStepNames, usageSteps } from '@gatehouse/proto/usage'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { moment, momentOf } from '../schemas.ts'
import { readMoment } from '../time-filter.ts'

const counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })

const periodSchema = Type.Object(
  {
    time: moment('When the period began; hours and days are those of UTC.'),
    issued: counts('Issued tokens, by grant type.'),
    refused: counts('Refused token requests, by error code.'),
    logins: Type.Integer({ description: 'Successful logins.' }),
    failed_logins: Type.Integer(),
    active_tokens: Type.Optional(
      Type.Integer({ description: 'The last count in the period; absent if unknown.' }),
    ),
  },
  { title: 'UsageOfPeriod' },
)
const periodExample = {
  time: '2026-01-01T00:00:00.000Z',
  issued: { client_credentials: 100 },
  refused: { invalid_client: 2 },
  logins: 3,
  failed_logins: 1,
  active_tokens: 5000,
}

const topClientSchema = Type.Object(
  {
    client_id: Type.String(),
    issued: Type.Integer({ description: 'Issued tokens.' }),
    refused: Type.Integer({
      description: 'Token requests that were refused after the client had authenticated.',
    }),
    last_used_at: Type.Optional(
      moment('When the client last got a token, accurate to some seconds; absent if it got none.'),
    ),
  },
  { title: 'TopClient' },
)

const daySchema = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'In UTC.' }),
    issued: Type.Integer({ description: 'Issued tokens.' }),
    refused: Type.Integer({
      description: 'Token requests that were refused after the client had authenticated.',
    }),
  },
  { title: 'UsageOfDay' },
)

/** In milliseconds. */
const defaultPeriod = 3_600_000
const defaultDays = 30
const defaultTopClients = 10

/** /admin/api/usage, /admin/api/usage/clients and /admin/api/clients/{client_id}/usage. */
export function usageRoutes(app: App, { identity, tokens }: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /usage',
    operationId: 'getUsage',
    summary: 'Count tokens and logins by minute, hour or day',
    query: {
      since: Type.Optional(
        Type.String({
          format: 'date-time',
          description:
            'A moment of the first period (RFC 3339), by default an hour ago. Minutes are counted for 24 hours, hours and days for 31 days.',
        }),
      ),
      step: Type.Optional(
        Type.Union(
          usageStepNames.map((name) => Type.Literal(name)),
          { default: 'minute', description: 'How long each period is.' },
        ),
      ),
    },
    answer: {
      200: Type.Object(
        { items: Type.Array(periodSchema) },
        {
          title: 'Usage',
          description: 'The periods in which something happened, oldest first.',
          examples: [{ items: [periodExample] }],
        },
      ),
    },
    async perform({ query }) {
      const asked = {
        since: readMoment(query.since, 'since') ?? new Date(Date.now() - defaultPeriod),
        stepSeconds: usageSteps[query.step ?? 'minute'],
      }
      const [usage, logins] = await Promise.all([tokens.listUsage(asked), identity.countLogins(asked)])
      return { items: periodsOf(usage.minutes, logins.minutes) }
    },
  })

  operationRoute(app, {
    route: 'GET /usage/clients',
    operationId: 'listTopClients',
    summary: 'List the clients that got the most tokens',
    query: {
      days: daysSchema(1),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          default: defaultTopClients,
          description: 'Maximum results.',
        }),
      ),
    },
    answer: {
      200: Type.Object(
        { items: Type.Array(topClientSchema) },
        {
          title: 'TopClients',
          description: 'Most tokens first.',
          examples: [
            {
              items: [
                {
                  client_id: 'client_a',
                  issued: 1200,
                  refused: 3,
                  last_used_at: '2026-01-01T00:00:00.000Z',
                },
              ],
            },
          ],
        },
      ),
    },
    async perform({ query: { days = 1, limit = defaultTopClients } }) {
      const { clients } = await tokens.listTopClients({ days, limit })
      return {
        items: clients.map(({ clientId, issued, refused, lastUsedAt }) => ({
          client_id: clientId,
          issued: Number(issued),
          refused: Number(refused),
          ...(lastUsedAt && { last_used_at: momentOf(lastUsedAt) }),
        })),
      }
    },
  })

  operationRoute(app, {
    route: 'GET /clients/:client_id/usage',
    operationId: 'getClientUsage',
    summary: 'Count a client’s issued and refused tokens by day',
    description: 'An unknown client has an empty list.',
    query: { days: daysSchema(defaultDays) },
    answer: {
      200: Type.Object(
        {
          items: Type.Array(daySchema),
          last_used_at: Type.Optional(
            moment(
              'When the client last got a token, accurate to some seconds; absent if not in the last 90 days.',
            ),
          ),
        },
        {
          title: 'ClientUsage',
          description: 'The days on which something happened, newest first.',
          examples: [
            {
              items: [{ date: '2026-01-01', issued: 1200, refused: 3 }],
              last_used_at: '2026-01-01T00:00:00.000Z',
            },
          ],
        },
      ),
    },
    async perform({ params, query: { days = defaultDays } }) {
      const usage = await tokens.listClientUsage({ clientId: params.client_id, days })
      return {
        items: usage.days.map(({ time, issued, refused }) => ({
          date: momentOf(time).slice(0, 10),
          issued: Number(issued),
          refused: Number(refused),
        })),
        ...(usage.lastUsedAt && { last_used_at: momentOf(usage.lastUsedAt) }),
      }
    },
  })
}

/** How many days of UTC a request wants. */
function daysSchema(byDefault: number) {
  return Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 90,
      default: byDefault,
      description: 'How many days back, including today, in UTC.',
    }),
  )
}

/** Merges the figures of both services by period. */
function periodsOf(usage: readonly UsageOfMinute[], logins: readonly LoginsOfMinute[]) {
  const ofUsage = new Map(usage.map((minute) => [momentOf(minute.time), minute]))
  const ofLogins = new Map(logins.map((minute) => [momentOf(minute.time), minute]))
  const times = new Set([...ofUsage.keys(), ...ofLogins.keys()])
  return [...times].sort().map((time) => {
    const { issued = {}, refused = {}, activeTokens } = ofUsage.get(time) ?? {}
    const { succeeded = 0n, failed = 0n } = ofLogins.get(time) ?? {}
    return {
      time,
      issued: numbersOf(issued),
      refused: numbersOf(refused),
      logins: Number(succeeded),
      failed_logins: Number(failed),
      ...(activeTokens !== undefined && { active_tokens: Number(activeTokens) }),
    }
  })
}

function numbersOf(counts: Readonly<Record<string, bigint>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]))
}
