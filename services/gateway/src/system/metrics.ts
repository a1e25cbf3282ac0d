import type { App } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../endpoint/endpoint.ts'

/** The needs of GET /metrics. */
type MetricsDeps = {
  /** Gathers the whole system's metrics in the text exposition format. */
  collectMetrics(): Promise<string | Buffer>
}

/** GET /metrics. */
export const metricsEndpoint = endpoint({
  name: 'metrics',
  door: 'anybody',
  tag: 'Operations',
  routes: metricsRoute,
})

function metricsRoute(app: App, { collectMetrics }: MetricsDeps): void {
  app.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      operationId: 'getMetrics',
      summary: 'Metrics of the whole system',
      description:
        'For people and small installations. Elsewhere, Prometheus scrapes the internal port of each process.',
      response: answers({ 200: metricsText as never }),
    },
    async handler(_request, reply) {
      reply.type('text/plain; version=0.0.4; charset=utf-8')
      return (await collectMetrics()) as never
    },
  })
}

const metricsText = {
  description: 'Metrics in the Prometheus text exposition format.',
  content: {
    'text/plain': {
      schema: Type.String(),
      example: 'oauth2_server_oauth_token_issued_total{service="token",grant_type="client_credentials"} 42',
    },
  },
}
