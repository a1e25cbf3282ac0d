import type { AuditEntry } from '@gatehouse/admin-api/generated/openapi'
import { Group } from '@mantine/core'
import { useClientName } from '../names/client-name.tsx'
import { useConnectionName } from '../names/connection-name.ts'
import { useGroupName } from '../names/group-name.ts'
import { useOrganizationName } from '../names/organization-name.tsx'
import { groupsAddress, type Place as InPlace, inInstance, userAddress } from '../names/place.ts'
import { useUserName } from '../names/user-by-id.tsx'
import { Copy } from '../parts/copy.tsx'
import { Named, PageLink } from '../parts/named.tsx'
import { useMay } from '../shell/administrator.tsx'

/** Where a target is. An invitation is no user yet: of it, and of whatever has its name in the entry, `of` says nothing. */
type Place = {
  area: string
  to: string
  search?: Readonly<Record<string, string>>
  of?: 'client' | 'user' | 'group' | 'organization' | 'connection'
}

/** The target of an action, by the name that the entry says or that it has now, with a link to its page. */
export function TargetLink({ entry }: { entry: AuditEntry }) {
  return entry.target === '' ? (
    '–'
  ) : (
    <div style={{ minInlineSize: '9rem' }}>
      <LinkedTarget entry={entry} />
    </div>
  )
}

function LinkedTarget({ entry }: { entry: AuditEntry }) {
  const may = useMay()
  const { target } = entry
  const place = placeOf(entry)
  const entryName = nameOf(entry)
  const nameless = (kind: Place['of']) => (place?.of === kind && entryName === undefined ? target : undefined)
  const { name: clientName } = useClientName(nameless('client'))
  const { name: userName } = useUserName(nameless('user'))
  const groupName = useGroupName(nameless('group'), organizationOf(entry))
  const { name: organizationName } = useOrganizationName(nameless('organization'))
  const connectionName = useConnectionName(nameless('connection'))
  const names = [entryName, clientName, userName, groupName, organizationName, connectionName]
  const name = names.find((one) => one !== undefined) ?? target
  if (!place || !may(place.area, 'read')) return <Named name={name} id={target} />
  if (!place.search) return <Named name={name} id={target} to={place.to} />
  return (
    <Group gap={4} wrap="nowrap">
      <PageLink inherit to={place.to} search={place.search as never} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </PageLink>
      <Copy value={target} label={name} />
    </Group>
  )
}

/** The name that the target has now, or had last. */
function nameOf({ action, before, after }: AuditEntry): string | undefined {
  // The address of an invitation to an organization is not that of the organization, nor is the user of a link the connection.
  const ownNameOnly = /^(organization|connection)\./.test(action)
  const fields = ownNameOnly ? ['name'] : ['client_name', 'username', 'name', 'email']
  const names = [after, before].flatMap((values) => fields.map((field) => values?.[field]))
  return names.find((name): name is string => typeof name === 'string' && name !== '')
}

const invitations = { tab: 'invitation' }

/** The organization in which something was changed, or the instance. */
function organizationOf({ before, after }: AuditEntry): InPlace {
  const id = (after ?? before)?.organization_id
  return typeof id === 'string' ? { organization_id: id } : inInstance
}

/** The page about the target; undefined when it has none. */
function placeOf(entry: AuditEntry): Place | undefined {
  const { action, target, before, after } = entry
  if (action.endsWith('.delete')) return undefined
  const id = encodeURIComponent(target)
  const client = { area: 'clients', to: `/clients/${id}`, of: 'client' } as const
  const user = { area: 'users', to: `/users/${id}`, of: 'user' } as const
  const place = organizationOf(entry)
  const inside = place.organization_id !== undefined
  const area = inside ? 'organizations' : 'groups'
  const group = { area, to: groupsAddress(place, `/${id}`), of: 'group' } as const
  const holder = inside ? ({ area, to: userAddress(place, id), of: 'user' } as const) : user
  if (action === 'tokens.end') return after?.revoked === 'tokens of the client' ? client : user
  if (action.startsWith('user.invite')) return { area: 'users', to: '/users/new', search: invitations }
  // Its target is the user who logged in.
  if (action === 'connection.map') return holder
  const kind = action.slice(0, action.indexOf('.'))
  if (kind === 'client') return client
  if (kind === 'user') return user
  if (kind === 'group') return group
  if (kind === 'organization')
    return { area: 'organizations', to: `/organizations/${id}`, of: 'organization' }
  if (kind === 'connection') return { area: 'connections', to: `/connections/${id}`, of: 'connection' }
  if (kind === 'role')
    return holderPlace(before ?? after, {
      user: holder,
      group,
      resource: { area: 'resources', to: `/resources/${id}` },
    })
  if (kind === 'mail') return { area: 'mails', to: `/mails/${id}` }
  if (kind === 'webhook') return { area: 'events', to: `/events/${id}` }
  if (kind === 'signing_key') return { area: 'keys', to: '/keys' }
  return kind === 'resource' ? { area: 'resources', to: '/resources', search: { search: target } } : undefined
}

/** The page about the one user or group of a changed role, or about the resource server where there are several. */
function holderPlace(
  changed: AuditEntry['after'],
  { user, group, resource }: Record<'user' | 'group' | 'resource', Place>,
): Place {
  const users = [changed?.user_ids ?? []].flat().length
  const groups = [changed?.group_ids ?? []].flat().length
  if (users + groups !== 1) return resource
  return users === 1 ? user : group
}
