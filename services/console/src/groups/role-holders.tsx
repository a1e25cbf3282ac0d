import type { ResourceServer, RoleHolder } from '@gatehouse/admin-api/generated/openapi'
import { NativeSelect, Stack, Text } from '@mantine/core'
import type { Action } from '../actions/action.ts'
import { Time } from '../activity/cells.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { groupsAddress, inInstance, type Place, pathIn, userAddress } from '../names/place.ts'
import { useAddressState } from '../parts/address.ts'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useTexts } from '../texts/language.ts'
import { demandDone } from './outcomes.tsx'
import { changeHolders } from './requests.ts'
import { useGroupRights } from './rights.ts'
import { heldRoleTexts } from './texts/role.ts'

/** The users and groups of a place that have a role of a resource server, for the role that the address says. */
export function RoleHolders({ resource, place = inInstance }: { resource: ResourceServer; place?: Place }) {
  const t = useTexts(heldRoleTexts)
  const { searchParams, setSearchParams } = useAddressState()
  const { roles } = resource
  const role = roles.find(({ name }) => name === searchParams.role) ?? roles[0]
  if (role === undefined) return <Text size="sm">{t.noRoles}</Text>
  return (
    <Stack>
      <NativeSelect
        label={t.role}
        description={t.holdersText}
        data={roles.map(({ name, description }) => ({
          value: name,
          label: description ? `${name} – ${description}` : name,
        }))}
        value={role.name}
        onChange={({ currentTarget }) => setSearchParams({ role: currentTarget.value, cursor: undefined })}
        maw={480}
      />
      <HolderList key={role.name} resourceId={resource.resource_id} role={role.name} place={place} />
    </Stack>
  )
}

function HolderList({ resourceId, role, place }: { resourceId: string; role: string; place: Place }) {
  const t = useTexts(heldRoleTexts)
  const { mayWrite } = useGroupRights(place)
  const named = ({ user_id: userId, group_id: groupId }: RoleHolder) =>
    userId === undefined ? { group_id: groupId ?? '' } : { user_id: userId }
  const take: Action<RoleHolder> = {
    label: t.take,
    color: 'red',
    title: (names) => t.takeTitle(role, names),
    consequences: t.takeEnds,
    perform: async (holder) =>
      demandDone((await changeHolders(place, resourceId, role, { take: [named(holder)] })).taken),
    undo: async (holder) =>
      demandDone((await changeHolders(place, resourceId, role, { give: [named(holder)] })).given),
    done: (name) => t.took(role, name),
    doneAll: t.tookAll,
  }
  const give = place.organization_id === undefined ? t.noHoldersText : t.noHoldersOfOrganization
  const list: ListDefinition<'/admin/api/resources/{resource_id}/roles/{role}/holders'> = {
    path: pathIn(place, '/admin/api/resources/{resource_id}/roles/{role}/holders'),
    params: { path: { ...place, resource_id: resourceId, role } },
    id: ({ user_id: userId, group_id: groupId }) => userId ?? groupId ?? '',
    nameOf: ({ name }) => name,
    exportName: 'role-holders',
    bulk: mayWrite ? [take] : undefined,
    columns: [
      { name: 'name', label: t.holder, cell: (holder) => <HolderName holder={holder} place={place} /> },
      {
        name: 'kind',
        label: t.kind,
        text: ({ user_id: userId }) => (userId === undefined ? t.group : t.user),
        cell: ({ user_id: userId }) => (userId === undefined ? t.group : t.user),
      },
      { name: 'given_at', label: t.given, cell: ({ given_at: at }) => <Time at={at} /> },
    ],
    empty: <Nothing title={t.noHolders} text={mayWrite ? give : t.noHoldersReadOnly} />,
  }
  return <List list={list} />
}

function HolderName({
  holder: { user_id: userId, group_id: groupId = '', name },
  place,
}: {
  holder: RoleHolder
  place: Place
}) {
  const { mayReadUser } = useGroupRights(place)
  if (userId === undefined)
    return <RoomyName name={name} id={groupId} to={groupsAddress(place, `/${groupId}`)} />
  return <RoomyName name={name} id={userId} {...(mayReadUser && { to: userAddress(place, userId) })} />
}
