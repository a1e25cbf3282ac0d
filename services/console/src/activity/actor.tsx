import type { AuditEntry } from '@gatehouse/admin-api/generated/openapi'
import { RoomyName } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'

/** Who performed an action, with a link to their page. */
export function Actor({ actor: { kind, id, name } }: { actor: AuditEntry['actor'] }) {
  const may = useMay()
  const to = kind === 'user' ? `/users/${encodeURIComponent(id)}` : `/clients/${encodeURIComponent(id)}`
  return (
    <RoomyName
      name={name || id}
      id={id}
      to={may(kind === 'user' ? 'users' : 'clients', 'read') ? to : undefined}
    />
  )
}
