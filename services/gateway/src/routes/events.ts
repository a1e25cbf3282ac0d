import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { EventsServiceService } from '@gatehouse/proto/events/v1'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { answers } from '../schemas.ts'

const eventHealth = Type.Object(
  {
    enabled: Type.Boolean(),
    plugins: Type.Array(Type.Object({ name: Type.String(), healthy: Type.Boolean() })),
  },
  { examples: [{ enabled: false, plugins: [] }] },
)

/** GET /events/health and POST /events/ingest. */
export function eventRoutes(app: App, events: RpcClient<typeof EventsServiceService>): void {
  const tags = ['Events']
  app.route({
    method: 'GET',
    url: '/events/health',
    schema: {
      summary: 'Event backend health',
      tags,
      response: answers({ 200: eventHealth }, 'temporarily_unavailable'),
    },
    handler: () => events.getEventHealth({}),
  })
  app.route({
    method: 'POST',
    url: '/events/ingest',
    schema: {
      summary: 'Submit an external event',
      description: 'Eventing is off, so nothing is taken.',
      tags,
      response: answers({}, 'eventing_disabled'),
    },
    // Off is checked before the body is read.
    onRequest: async () => {
      throw new Refusal('eventing_disabled')
    },
    handler: async () => undefined,
  })
}
