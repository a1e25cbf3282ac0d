import type { Group, GroupMember } from '@gatehouse/admin-api/generated/openapi'
import { Stack } from '@mantine/core'
import type { Action } from '../actions/action.ts'
import { Time } from '../activity/cells.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { AddFound } from './add-found.tsx'
import type { Choice } from './found.tsx'
import { demandDone } from './outcomes.tsx'
import { atGroup, changeMembers } from './requests.ts'
import { useGroupRights } from './rights.ts'
import { memberTexts } from './texts/member.ts'

/** The members of a group. */
export function GroupMembers({ group }: { group: Group }) {
  const t = useTexts(memberTexts)
  const common = useTexts(commonTexts)
  const may = useMay()
  const { mayChange } = useGroupRights()
  const { group_id: groupId } = group
  const remove: Action<GroupMember> = {
    label: t.remove,
    color: 'red',
    title: t.removeTitle,
    consequences: t.removeEnds,
    perform: async ({ user_id: id }) => demandDone((await changeMembers(groupId, { remove: [id] })).removed),
    undo: async ({ user_id: id }) => demandDone((await changeMembers(groupId, { add: [id] })).added),
    done: t.removed,
    doneAll: t.removedAll,
  }
  const list: ListDefinition<'/admin/api/groups/{group_id}/members'> = {
    path: '/admin/api/groups/{group_id}/members',
    params: atGroup(groupId).params,
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
          <RoomyName name={username} id={id} {...(may('users', 'read') && { to: `/users/${id}` })} />
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
      {mayChange(group) && may('users', 'read') && <AddMembers group={group} />}
      <List list={list} />
    </Stack>
  )
}

function AddMembers({ group: { group_id: groupId } }: { group: Group }) {
  const t = useTexts(memberTexts)
  return (
    <Panel title={t.addTitle}>
      <AddFound
        path="/admin/api/users"
        choiceOf={({ user_id: value, username: label, name, email }) => ({
          value,
          label,
          detail: [name, email].filter(Boolean).join(' · '),
        })}
        label={t.users}
        hint={t.usersHint}
        done={t.added}
        add={async (chosen: readonly Choice[]) => {
          const { added } = await changeMembers(groupId, { add: chosen.map(({ value }) => value) })
          return added.map((result, at) => ({ ...result, name: chosen[at]?.label ?? result.user_id }))
        }}
      />
    </Panel>
  )
}
