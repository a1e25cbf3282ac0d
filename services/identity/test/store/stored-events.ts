import { createEventKeeping } from '@gatehouse/data/pending-events'
import { type EventType, eventTypes } from '@gatehouse/proto/event-types'

/** Stores every event, as the service does where events are on. */
export const keepEvents = createEventKeeping('identity', new Set(Object.keys(eventTypes) as EventType[]))

/**
 * The events that wait for the events service, oldest first.
 * @param value a value that their metadata have, such as the id of a connection
 */
export async function storedEvents(
  query: (text: string) => Promise<Record<string, unknown>[]>,
  value: string,
): Promise<{ type: string; userId: string | undefined; metadata: Record<string, string> }[]> {
  const rows = await query('select event from identity.pending_events order by id')
  return rows
    .map(({ event }) => (JSON.parse(String(event)) as { event: Stored }).event)
    .map(({ eventType: type, userId, metadata }) => ({ type, userId, metadata: JSON.parse(metadata) }))
    .filter(({ type, metadata }) => type !== 'administrator_acted' && Object.values(metadata).includes(value))
}

type Stored = { eventType: string; userId: string | undefined; metadata: string }
