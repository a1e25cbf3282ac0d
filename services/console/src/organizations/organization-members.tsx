import type { OrganizationMember } from '@gatehouse/admin-api/generated/openapi'
import { Stack } from '@mantine/core'
import { useState } from 'react'
import type { Action } from '../actions/action.ts'
import { Time } from '../activity/cells.tsx'
import { AddFound } from '../groups/add-found.tsx'
import type { Choice } from '../groups/found.tsx'
import { demandDone } from '../groups/outcomes.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { List } from '../list/list.tsx'
import { userAddress } from '../names/place.ts'
import { RoomyName } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { type MemberRole, MemberRoleBadge, MemberRoleInput, memberRoles } from './member-role.tsx'
import { atOrganization, changeOrganizationMembers } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { memberTexts } from './texts/member.ts'

/** The members of an organization. */
export function OrganizationMembers({ id }: { id: string }) {
  const t = useTexts(memberTexts)
  const common = useTexts(commonTexts)
  const may = useMay()
  const mayWrite = useMayWrite()
  const actions = useMemberActions(id)
  const list: ListDefinition<'/admin/api/organizations/{organization_id}/members'> = {
    path: '/admin/api/organizations/{organization_id}/members',
    ...atOrganization(id),
    id: ({ user_id: userId }) => userId,
    nameOf: ({ username }) => username,
    searchHint: t.searchHint,
    exportName: 'members',
    bulk: mayWrite ? actions : undefined,
    columns: [
      {
        name: 'username',
        label: t.user,
        cell: ({ user_id: userId, username }) => (
          <RoomyName name={username} id={userId} to={userAddress({ organization_id: id }, userId)} />
        ),
      },
      {
        name: 'role',
        label: t.shortRole,
        cell: ({ role }) => <MemberRoleBadge role={role} />,
        text: ({ role }) => t.roles[role],
      },
      {
        name: 'disabled',
        label: common.state,
        cell: ({ disabled }) => <State disabled={disabled} />,
        text: ({ disabled }) => (disabled ? common.disabled : common.active),
      },
      { name: 'name', label: common.name, hidden: true, cell: ({ name }) => <bdi>{name ?? '–'}</bdi> },
      { name: 'email', label: t.email, hidden: true, cell: ({ email }) => email ?? '–' },
      { name: 'joined_at', label: t.since, cell: ({ joined_at: at }) => <Time at={at} /> },
      { name: 'user_id', label: common.id, hidden: true, cell: ({ user_id: userId }) => userId },
    ],
    empty: <Nothing title={t.empty} text={t.emptyText} />,
  }
  return (
    <Stack>
      {mayWrite && may('users', 'read') && <AddMembers id={id} />}
      <List list={list} />
    </Stack>
  )
}

/** Changes the roles of members, and removes members. What a removed member had is gone, so there is no way back. */
function useMemberActions(id: string): Action<OrganizationMember>[] {
  const t = useTexts(memberTexts)
  const set = async ({ user_id: userId }: OrganizationMember, role: MemberRole) =>
    demandDone((await changeOrganizationMembers(id, { set: [{ user_id: userId, role }] })).set)
  return [
    ...memberRoles.toReversed().map((role) => ({
      label: t.make[role],
      concerns: (member: OrganizationMember) => member.role !== role,
      perform: (member: OrganizationMember) => set(member, role),
      undo: (member: OrganizationMember) => set(member, member.role),
      done: (name: string) => t.changed(name, t.roles[role]),
      doneAll: (count: string) => t.changedAll(count, t.roles[role]),
    })),
    {
      label: t.remove,
      color: 'red',
      title: t.removeTitle,
      consequences: t.removeEnds,
      perform: async ({ user_id: userId }) =>
        demandDone((await changeOrganizationMembers(id, { remove: [userId] })).removed),
      done: t.removed,
      doneAll: t.removedAll,
    },
  ]
}

function AddMembers({ id }: { id: string }) {
  const t = useTexts(memberTexts)
  const [role, setRole] = useState<MemberRole>('member')
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
          const { set } = await changeOrganizationMembers(id, {
            set: chosen.map(({ value }) => ({ user_id: value, role })),
          })
          return set.map((result, index) => ({ ...result, name: chosen[index]?.label ?? result.user_id }))
        }}
      >
        <MemberRoleInput role={role} onChange={setRole} describes={false} />
      </AddFound>
    </Panel>
  )
}
