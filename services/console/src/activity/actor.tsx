import type { AuditEntry } from '@gatehouse/admin-api/generated/openapi'
import { ClientName } from '../names/client-name.tsx'
import { RoomyName } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'

/** The actor of an entry, with a link to their page. */
export function Actor({ actor: { kind, id, name } }: { actor: AuditEntry['actor'] }) {
  const mayReadUsers = useMay()('users', 'read')
  // The log has only the id of a client: it may be renamed at any time.
  if (kind === 'client') return <ClientName id={id} />
  return (
    <RoomyName name={name || id} id={id} to={mayReadUsers ? `/users/${encodeURIComponent(id)}` : undefined} />
  )
}
