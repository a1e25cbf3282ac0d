import type { Group, GroupMember } from '@gatehouse/admin-api/generated/openapi'
import { Stack } from '@mantine/core'
import type { Action } from '../actions/action.ts'
import { Time } from '../activity/cells.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { type Place, pathIn, userAddress } from '../names/place.ts'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { AddFound } from './add-found.tsx'
import type { Choice } from './found.tsx'
import { demandDone } from './outcomes.tsx'
import { atGroup, changeMembers, type GroupAt } from './requests.ts'
import { useGroupRights } from './rights.ts'
import { memberTexts } from './texts/member.ts'

/** The members of a group. */
export function GroupMembers({ group, place }: { group: Group; place: Place }) {
  const t = useTexts(memberTexts)
  const common = useTexts(commonTexts)
  const { mayChange, mayReadUser } = useGroupRights(place)
  const at = { ...place, group_id: group.group_id }
  const remove: Action<GroupMember> = {
    label: t.remove,
    color: 'red',
    title: t.removeTitle,
    consequences: t.removeEnds,
    perform: async ({ user_id: id }) => demandDone((await changeMembers(at, { remove: [id] })).removed),
    undo: async ({ user_id: id }) => demandDone((await changeMembers(at, { add: [id] })).added),
    done: t.removed,
    doneAll: t.removedAll,
  }
  const list: ListDefinition<'/admin/api/groups/{group_id}/members'> = {
    path: pathIn(place, '/admin/api/groups/{group_id}/members'),
    ...atGroup(at),
    id: ({ user_id: id }) => id,
    nameOf: ({ username }) => username,
    searchHint: t.searchHint,
    exportName: 'members',
    bulk: mayChange(group) ? [remove] : undefined,
    columns: [
      {
        name: 'username',
        label: t.user,
        cell: ({ user_id: id, username }) => (
          <RoomyName name={username} id={id} {...(mayReadUser && { to: userAddress(place, id) })} />
        ),
      },
      {
        name: 'disabled',
        label: common.state,
        cell: ({ disabled }) => <State disabled={disabled} />,
        text: ({ disabled }) => (disabled ? common.disabled : common.active),
      },
      { name: 'added_at', label: t.since, cell: ({ added_at: at }) => <Time at={at} /> },
      { name: 'user_id', label: common.id, hidden: true, cell: ({ user_id: id }) => id },
    ],
    empty: <Nothing title={t.empty} text={t.emptyText} />,
  }
  return (
    <Stack>
      {mayChange(group) && mayReadUser && <AddMembers at={at} />}
      <List list={list} />
    </Stack>
  )
}

function AddMembers({ at }: { at: GroupAt }) {
  const t = useTexts(memberTexts)
  const { group_id: _, ...place } = at
  // Only members of an organization can be in its groups.
  const whereUsersAre =
    place.organization_id === undefined
      ? '/admin/api/users'
      : '/admin/api/organizations/{organization_id}/members'
  return (
    <Panel title={t.addTitle}>
      <AddFound
        path={whereUsersAre}
        place={place}
        choiceOf={({ user_id: value, username: label, name, email }) => ({
          value,
          label,
          detail: [name, email].filter(Boolean).join(' · '),
        })}
        label={t.users}
        hint={t.usersHint}
        done={t.added}
        add={async (chosen: readonly Choice[]) => {
          const { added } = await changeMembers(at, { add: chosen.map(({ value }) => value) })
          return added.map((result, index) => ({ ...result, name: chosen[index]?.label ?? result.user_id }))
        }}
      />
    </Panel>
  )
}
