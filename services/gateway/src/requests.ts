import { Counter, durationBuckets, Histogram, metricPrefix, type Registry } from '@gatehouse/kit/metrics'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code of the answer; empty where there is none. */
    outcome: string
  }
}

/**
 * Counts, times and logs every request. Labels are route templates and statuses, never what a caller may choose.
 * @param app the server
 * @param registry where the metrics go
 */
export function observeRequests(app: App, registry: Registry): void {
  const total = new Counter({
    name: `${metricPrefix}http_requests_total`,
    help: 'HTTP requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: `${metricPrefix}http_request_duration_seconds`,
    help: 'How long an HTTP request took.',
    labelNames: ['method', 'route'],
    buckets: durationBuckets,
    registers: [registry],
  })

  app.decorateRequest('outcome', '')
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    const { method } = request
    const seconds = reply.elapsedTime / 1000
    total.inc({ method: request.is404 ? 'any' : method, route, status: reply.statusCode })
    duration.observe({ method: request.is404 ? 'any' : method, route }, seconds)
    const line = { method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime * 10) / 10 }
    request.log.info(request.outcome ? { ...line, outcome: request.outcome } : line, 'request')
  })
}
