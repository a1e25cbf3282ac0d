import type { App } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../endpoint/endpoint.ts'
import { isReady, type SystemWatch, serviceStates } from './system-state.ts'

const timestamp = Type.String({ format: 'date-time' })
const services = Type.Record(Type.String(), Type.Enum([...serviceStates]), {
  description:
    'The state of each service. `unavailable`: it does not answer. `database_unavailable`: the database does not do what the service needs. `unable`: it cannot do its work for another reason, such as a missing signing key or client registry.',
})
const allAvailable = {
  token: 'available',
  'client-registry': 'available',
  identity: 'available',
  events: 'available',
}

const health = Type.Object(
  {
    status: Type.Enum(['healthy', 'degraded']),
    database: Type.Enum(['connected', 'disconnected']),
    version: Type.String(),
    services,
    timestamp,
  },
  {
    title: 'Health',
    description: 'The state of the system a moment ago.',
    examples: [
      {
        status: 'healthy',
        database: 'connected',
        version: '1.0.0',
        services: allAvailable,
        timestamp: '2026-01-01T00:00:00.000Z',
      },
    ],
  },
)

const readiness = Type.Object(
  { ready: Type.Boolean(), database: Type.Enum(['ready', 'unavailable']), services, timestamp },
  {
    title: 'Readiness',
    description:
      'With 200, a token would be issued now, and every service could do its work; with 503, at least one could not.',
    examples: [
      { ready: true, database: 'ready', services: allAvailable, timestamp: '2026-01-01T00:00:00.000Z' },
    ],
  },
)

/** GET /health, which gives the last known state and never waits, and GET /ready, which asks the services. */
export const healthEndpoint = endpoint({
  name: 'health',
  door: 'anybody',
  tag: 'Operations',
  routes: healthRoutes,
})

function healthRoutes(app: App, { system, version }: { system: SystemWatch; version: string }): void {
  app.route({
    method: 'GET',
    url: '/health',
    schema: {
      operationId: 'getHealth',
      summary: 'Liveness',
      description: 'Answers 200 as long as the gateway runs. The state of the services is from a moment ago.',
      response: answers({ 200: health }),
    },
    async handler() {
      const state = system.last()
      return {
        status: isReady(state) ? ('healthy' as const) : ('degraded' as const),
        database: state.database ? ('connected' as const) : ('disconnected' as const),
        version,
        services: state.services,
        timestamp: new Date().toISOString(),
      }
    },
  })

  app.route({
    method: 'GET',
    url: '/ready',
    schema: {
      operationId: 'getReadiness',
      summary: 'Readiness',
      description:
        'Asks every service whether it could do its work, and answers within a second. Each service tries that once a second, however often this is asked: the token service asks for a client, signs, and stores a token that it takes back at once.',
      response: answers({ 200: readiness, 503: readiness }),
    },
    async handler(_request, reply) {
      const state = await system.look()
      const ready = isReady(state)
      reply.code(ready ? 200 : 503)
      return {
        ready,
        database: state.database ? ('ready' as const) : ('unavailable' as const),
        services: state.services,
        timestamp: new Date().toISOString(),
      }
    },
  })
}
