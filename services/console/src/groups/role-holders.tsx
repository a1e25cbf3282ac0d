import type { ResourceServer, RoleHolder } from '@gatehouse/admin-api/generated/openapi'
import { NativeSelect, Stack, Text } from '@mantine/core'
import type { Action } from '../actions/action.ts'
import { Time } from '../activity/cells.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { useAddressState } from '../parts/address.ts'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { demandDone } from './outcomes.tsx'
import { changeHolders } from './requests.ts'
import { useGroupRights } from './rights.ts'
import { heldRoleTexts } from './texts/role.ts'

/** The users and groups that have a role of a resource server, for the role that the address says. */
export function RoleHolders({ resource }: { resource: ResourceServer }) {
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
      <HolderList key={role.name} resourceId={resource.resource_id} role={role.name} />
    </Stack>
  )
}

function HolderList({ resourceId, role }: { resourceId: string; role: string }) {
  const t = useTexts(heldRoleTexts)
  const { mayWrite } = useGroupRights()
  const named = ({ user_id: userId, group_id: groupId }: RoleHolder) =>
    userId === undefined ? { group_id: groupId ?? '' } : { user_id: userId }
  const take: Action<RoleHolder> = {
    label: t.take,
    color: 'red',
    title: (names) => t.takeTitle(role, names),
    consequences: t.takeEnds,
    perform: async (holder) =>
      demandDone((await changeHolders(resourceId, role, { take: [named(holder)] })).taken),
    undo: async (holder) =>
      demandDone((await changeHolders(resourceId, role, { give: [named(holder)] })).given),
    done: (name) => t.took(role, name),
    doneAll: t.tookAll,
  }
  const list: ListDefinition<'/admin/api/resources/{resource_id}/roles/{role}/holders'> = {
    path: '/admin/api/resources/{resource_id}/roles/{role}/holders',
    params: { path: { resource_id: resourceId, role } },
    id: ({ user_id: userId, group_id: groupId }) => userId ?? groupId ?? '',
    nameOf: ({ name }) => name,
    exportName: 'role-holders',
    bulk: mayWrite ? [take] : undefined,
    columns: [
      { name: 'name', label: t.holder, cell: (holder) => <HolderName holder={holder} /> },
      {
        name: 'kind',
        label: t.kind,
        text: ({ user_id: userId }) => (userId === undefined ? t.group : t.user),
        cell: ({ user_id: userId }) => (userId === undefined ? t.group : t.user),
      },
      { name: 'given_at', label: t.given, cell: ({ given_at: at }) => <Time at={at} /> },
    ],
    empty: <Nothing title={t.noHolders} text={mayWrite ? t.noHoldersText : t.noHoldersReadOnly} />,
  }
  return <List list={list} />
}

function HolderName({ holder: { user_id: userId, group_id: groupId, name } }: { holder: RoleHolder }) {
  const may = useMay()
  if (userId === undefined) return <RoomyName name={name} id={groupId ?? ''} to={`/groups/${groupId}`} />
  return <RoomyName name={name} id={userId} {...(may('users', 'read') && { to: `/users/${userId}` })} />
}
