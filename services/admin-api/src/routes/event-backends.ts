import type { App } from '@gatehouse/http/app'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { moment, momentOf } from '../schemas.ts'

const backendSchema = Type.Object(
  {
    name: Type.String({ description: 'As in `OAUTH2_EVENTS_BACKEND`.' }),
    healthy: Type.Boolean({ description: 'Whether the last delivery or connection attempt succeeded.' }),
    failing_since: Type.Optional(
      moment('Since when it takes no events, as that replica has seen it; absent while it is healthy.'),
    ),
    waiting: Type.Integer({
      description:
        'How many events from outside wait for it, of which at most 100,000 are counted. Events of the server itself wait in memory, and are not counted.',
    }),
    waiting_since: Type.Optional(moment('When the oldest of them was accepted; absent if none waits.')),
  },
  { title: 'EventBackend' },
)

/** /admin/api/event-backends. */
export function eventBackendsRoute(app: App, { events }: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /event-backends',
    operationId: 'listEventBackends',
    summary: 'List the backends that events go to',
    description: 'Whether they are healthy is what one replica of the events service sees.',
    answer: {
      200: Type.Object(
        { items: Type.Array(backendSchema) },
        {
          title: 'EventBackends',
          description: 'Empty while eventing is off.',
          examples: [
            {
              items: [
                { name: 'kafka', healthy: true, waiting: 0 },
                {
                  name: 'webhook',
                  healthy: false,
                  failing_since: '2026-01-01T00:00:00.000Z',
                  waiting: 12,
                  waiting_since: '2026-01-01T00:00:00.000Z',
                },
              ],
            },
          ],
        },
      ),
    },
    async perform() {
      const { backends } = await events.listEventBackends({})
      return {
        items: backends.map(({ name, healthy, failingSince, waiting, waitingSince }) => ({
          name,
          healthy,
          ...(failingSince && { failing_since: momentOf(failingSince) }),
          waiting,
          ...(waitingSince && { waiting_since: momentOf(waitingSince) }),
        })),
      }
    },
  })
}
