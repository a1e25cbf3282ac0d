import { Refusal } from '@gatehouse/kit/errors'
import { durationBuckets } from '@gatehouse/kit/metrics'
import type { TrafficSample } from '@gatehouse/proto/identity/v1'
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { adminAnswers, adminSecurity, moment, momentOf } from '../api-schemas.ts'
import type { AdminDeps } from '../deps.ts'
import { latencyOf } from '../latency.ts'

const seconds = (part: string) =>
  Type.Optional(Type.Number({ description: `${part} of the requests took at most this long, in seconds.` }))

const sampleSchema = Type.Object(
  {
    time: moment('When the interval ended.'),
    seconds: Type.Number({ description: 'How long it was.' }),
    requests: Type.Integer(),
    failures: Type.Integer({ description: 'Answers with a status from 500.' }),
    refusals: Type.Integer({ description: 'Answers with a status from 400 to 499, but for `rate_limited`.' }),
    rate_limited: Type.Integer({ description: 'Answers with the status 429.' }),
    issued: Type.Record(Type.String(), Type.Integer(), { description: 'Tokens by grant type.' }),
    latency_p50: seconds('Half'),
    latency_p95: seconds('95 %'),
    durations: Type.Array(Type.Integer(), {
      description:
        'How many requests took at most as long as each bound, not cumulative; one more for the rest.',
    }),
    active_tokens: Type.Optional(Type.Integer({ description: 'Absent: not known.' })),
  },
  { title: 'TrafficSample' },
)

/** In milliseconds. */
const defaultPeriod = 3_600_000

/** /admin/api/traffic. */
export function trafficRoute(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/admin/api/traffic',
    schema: {
      operationId: 'getTraffic',
      summary: 'What all gateways counted, for plots',
      tags: ['Admin'],
      security: adminSecurity,
      querystring: Type.Object({
        since: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'Only intervals that ended after this moment (RFC 3339). By default an hour ago.',
          }),
        ),
      }),
      response: adminAnswers(
        {
          200: Type.Object(
            {
              duration_bounds: Type.Array(Type.Number(), { description: 'Of `durations`, in seconds.' }),
              items: Type.Array(sampleSchema),
            },
            {
              title: 'Traffic',
              description: 'The samples, the oldest first.',
              examples: [{ duration_bounds: durationBuckets, items: [sampleExample] }],
            },
          ),
        },
        'invalid_request',
      ),
    },
    async handler({ query }) {
      const since = new Date(
        query.since === undefined ? Date.now() - defaultPeriod : millisecondsOf(query.since),
      )
      const { samples } = await identity.listTraffic({ since })
      return { duration_bounds: durationBuckets, items: samples.map(sampleBody) }
    },
  })
}

const sampleExample = {
  time: '2026-01-01T00:00:10.000Z',
  seconds: 10,
  requests: 120,
  failures: 0,
  refusals: 2,
  rate_limited: 0,
  issued: { client_credentials: 100 },
  latency_p50: 0.004,
  latency_p95: 0.01,
  durations: [0, 10, 40, 50, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  active_tokens: 5000,
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

function millisecondsOf(text: string): number {
  const milliseconds = rfc3339.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(milliseconds))
    throw new Refusal('invalid_request', 'since must be a time such as 2026-01-01T00:00:00Z.')
  return milliseconds
}

function sampleBody({ durations, issued, ...sample }: TrafficSample) {
  const counts = durations.map(Number)
  const p50 = latencyOf(counts, 0.5)
  const p95 = latencyOf(counts, 0.95)
  return {
    time: momentOf(sample.time),
    seconds: sample.seconds,
    requests: Number(sample.requests),
    failures: Number(sample.failures),
    refusals: Number(sample.refusals),
    rate_limited: Number(sample.rateLimited),
    issued: Object.fromEntries(
      Object.entries(issued).map(([grantType, count]) => [grantType, Number(count)]),
    ),
    ...(p50 !== undefined && { latency_p50: p50 }),
    ...(p95 !== undefined && { latency_p95: p95 }),
    durations: counts,
    ...(sample.activeTokens !== undefined && { active_tokens: Number(sample.activeTokens) }),
  }
}
