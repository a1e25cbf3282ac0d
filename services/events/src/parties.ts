import type { Envelope } from './envelope.ts'

/**
 * The client and the user that an event is about: events that share one are delivered in their order. Events about neither share a
 * party of their own.
 */
export function partiesOf({ event }: Pick<Envelope, 'event'>): string[] {
  const parties = { client: event.client_id, user: event.user_id }
  const named = Object.entries(parties).flatMap(([kind, id]) => (id ? [`${kind} ${id}`] : []))
  return named.length === 0 ? [''] : named
}
