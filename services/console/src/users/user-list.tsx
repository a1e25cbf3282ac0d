import type { UserSummary } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Group, Text } from '@mantine/core'
import { Time } from '../activity/cells.tsx'
import { labelOf } from '../form/schema-form.tsx'
import type { Column, ListDefinition } from '../list/definition.ts'
import { useDisabling } from '../list/disabling.tsx'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { Named } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useUserDisabling, useUserRevocation } from './actions.ts'
import { useUserSchema } from './attributes.ts'
import { useRights } from './rights.ts'
import { RoleBadge } from './role.tsx'
import { roleNames, roleTexts } from './texts/role.ts'
import { userTexts } from './texts/texts.ts'

/** All users. */
export function UserList() {
  const t = useTexts(userTexts)
  const roles = useTexts(roleTexts)
  const mayWrite = useMay()('users', 'write')
  const create = mayWrite && <ButtonLink to="/users/new">{t.create}</ButtonLink>
  const { isSelf, mayChange } = useRights()
  const disabling = useDisabling(useUserDisabling())
  const bulk = [...disabling.bulk, useUserRevocation()].map((action) => ({
    ...action,
    // As on the page of a user.
    concerns: (user: UserSummary) =>
      mayChange(user) && !isSelf(user) && (action.concerns === undefined || action.concerns(user)),
  }))
  const list: ListDefinition<'/admin/api/users'> = {
    path: '/admin/api/users',
    id: ({ user_id: id }) => id,
    nameOf: ({ username }) => username,
    searchHint: t.searchHint,
    defaultSort: 'username',
    exportName: 'users',
    filters: [
      disabling.filter,
      {
        name: 'admin_role',
        label: roles.role,
        kind: 'choice',
        choices: roleNames.map((value) => ({ value, label: roles.titles[value] })),
      },
    ],
    columns: useColumns(disabling.column),
    bulk: mayWrite ? bulk : undefined,
    empty: (
      <Nothing title={t.empty} text={t.emptyText}>
        {create}
      </Nothing>
    ),
  }
  return (
    <Page title={t.users} about={t.about} actions={create}>
      <List list={list} />
    </Page>
  )
}

function useColumns(state: Column<UserSummary>): Column<UserSummary>[] {
  const t = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const schema = useUserSchema('UserChange')
  const { role } = useTexts(roleTexts)
  const { isSelf } = useRights()
  const yesOrNo = (is: boolean | undefined) => (is ? common.yes : common.no)
  return [
    {
      name: 'username',
      label: t.username,
      sort: 'username',
      cell: (user) => (
        <>
          <Group gap="xs" wrap="nowrap">
            <Named name={user.username} id={user.user_id} to={`/users/${user.user_id}`} />
            {isSelf(user) && <Badge variant="default">{t.you}</Badge>}
          </Group>
          {user.name && (
            <Text size="xs" c="dimmed">
              <bdi>{user.name}</bdi>
            </Text>
          )}
        </>
      ),
    },
    { name: 'name', label: labelOf(schema, 'name'), hidden: true, cell: ({ name }) => name || '–' },
    {
      name: 'email',
      label: t.email,
      cell: ({ email }) => <span style={{ overflowWrap: 'break-word' }}>{email || '–'}</span>,
    },
    {
      name: 'email_verified',
      label: `${t.email}: ${t.emailConfirmed}`,
      hidden: true,
      cell: ({ email, email_verified: confirmed }) => (email ? yesOrNo(confirmed) : '–'),
    },
    { name: 'admin_role', label: role, cell: ({ admin_role: name }) => <RoleBadge role={name} /> },
    state,
    { name: 'has_password', label: t.hasPassword, cell: ({ has_password: has }) => yesOrNo(has) },
    {
      name: 'disabled_at',
      label: t.disabledAt,
      hidden: true,
      cell: ({ disabled_at: at }) => (at ? <Time at={at} /> : '–'),
    },
    { name: 'user_id', label: common.id, hidden: true, cell: ({ user_id: id }) => id },
    {
      name: 'created_at',
      label: common.created,
      sort: 'created_at',
      cell: ({ created_at: at }) => <Time at={at} />,
    },
  ]
}
