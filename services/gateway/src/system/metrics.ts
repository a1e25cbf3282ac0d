import type { App } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { Type } from '@gatehouse/proto/typebox'

/**
 * GET /metrics.
 * @param collect gathers the whole system's metrics in the text exposition format
 */
export function metricsRoute(app: App, collect: () => Promise<string | Buffer>): void {
  app.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      operationId: 'getMetrics',
      summary: 'Metrics of the whole system',
      description:
        'For people and small installations. Elsewhere, Prometheus scrapes the internal port of each process.',
      tags: ['Operations'],
      response: answers({ 200: metricsText as never }),
    },
    async handler(_request, reply) {
      reply.type('text/plain; version=0.0.4; charset=utf-8')
      return (await collect()) as never
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
