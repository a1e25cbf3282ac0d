import type { KeptEvent } from '@gatehouse/data/pending-events'
import type { Connection } from '../../connections/connection.ts'

type Named = Pick<Connection, 'connectionId' | 'organizationId'>

/** The event of a connection that was created. */
export function createdEvent(connection: Named & Pick<Connection, 'kind'>): KeptEvent {
  const metadata = { ...metadataOf(connection), kind: connection.kind }
  return { type: 'connection_created', content: { metadata } }
}

/**
 * The events of a change of a connection: that it was disabled, and that other fields were changed.
 * @param after the changed fields, by the API's names
 */
export function changeEvents(connection: Named, after: Readonly<Record<string, unknown>>): KeptEvent[] {
  const metadata = metadataOf(connection)
  const disables = after.disabled === true
  const changed = Object.keys(after).filter((field) => !disables || field !== 'disabled')
  return [
    ...(disables ? [{ type: 'connection_disabled' as const, content: { metadata } }] : []),
    ...(changed.length > 0
      ? [
          {
            type: 'connection_updated' as const,
            content: { metadata: { ...metadata, changed: changed.join(' ') } },
          },
        ]
      : []),
  ]
}

/** The event of a connection that was deleted. */
export function deletedEvent(connection: Named): KeptEvent {
  return { type: 'connection_deleted', content: { metadata: metadataOf(connection) } }
}

function metadataOf({ connectionId, organizationId = '' }: Named) {
  return { connection_id: connectionId, organization_id: organizationId }
}
