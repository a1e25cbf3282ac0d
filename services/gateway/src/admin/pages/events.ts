import { eventTypes, ownProducers } from '@gatehouse/proto/event-types'
import type { App } from '../../app.ts'
import type { AdminDeps } from '../deps.ts'
import type { RecentEvent } from '../event-order.ts'
import { isExternal } from '../event-order.ts'
import type { Recent, RecentEvents } from '../recent-events.ts'
import { newest } from '../routes/events.ts'
import type { EventFacts } from './contents.ts'
import { pageSchema, queryFrom, sendAdminPage } from './page.ts'

const section = '/admin/events'
/** How many events the page shows. */
const mostShown = 200

/** /admin/events: what happens. */
export function eventsPage(app: App, { recentEvents }: Pick<AdminDeps, 'recentEvents'>): void {
  app.route({
    method: 'GET',
    url: section,
    config: { page: true },
    schema: pageSchema,
    async handler(request, reply) {
      const { type = '', origin = '', event: id } = queryFrom(request)
      const filter = { type, origin: ['own', 'external'].includes(origin) ? origin : '' }
      const { events, sources } = await recentOf(recentEvents)
      const path = (more: Record<string, string> = {}) => withQuery({ ...filter, ...more })
      const facts = (event: RecentEvent) => factsOf(event, path({ event: event.envelope.event.id }))
      const chosen = events.find(({ envelope }) => envelope.event.id === id)
      return sendAdminPage(
        request,
        reply,
        'admin/events',
        {
          hindrance: hindranceOf(recentEvents, sources),
          replicas: sources.replicas,
          missing: sources.replicas - sources.answering,
          types: typesOf(events),
          filter,
          ownProducers: [...ownProducers],
          items: newest(events, filter, mostShown).map(facts),
          chosen: id === undefined ? undefined : chosen ? facts(chosen) : null,
          path: path(),
        },
        { asks: true },
      )
    },
  })
}

async function recentOf(recentEvents: RecentEvents | undefined): Promise<Pick<Recent, 'events' | 'sources'>> {
  if (recentEvents) return recentEvents.read()
  return { events: [], sources: { replicas: 0, answering: 0, held: false } }
}

function hindranceOf(recentEvents: RecentEvents | undefined, { answering, held }: Recent['sources']) {
  if (recentEvents === undefined) return 'off'
  if (answering === 0) return 'away'
  return held ? undefined : 'not held'
}

/** Our own types, and what others have sent. */
function typesOf(events: readonly RecentEvent[]): { own: readonly string[]; others: readonly string[] } {
  const seen = new Set(events.map(({ envelope }) => envelope.event.event_type))
  const others = [...seen].filter((type) => !Object.hasOwn(eventTypes, type))
  return { own: Object.keys(eventTypes).sort(), others: others.sort() }
}

function factsOf(event: RecentEvent, path: string): EventFacts {
  const { envelope } = event
  const { id, event_type: type, severity, client_id, user_id, error } = envelope.event
  return {
    ...{ id, type, severity, path },
    time: envelope.produced_at,
    producer: envelope.producer,
    external: isExternal(event),
    clientId: client_id ?? '',
    userId: user_id ?? '',
    error: error ?? '',
    envelope: JSON.stringify(envelope, null, 2),
  }
}

function withQuery(parameters: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''))
  return query.size === 0 ? section : `${section}?${query}`
}
