import type { UserSummary } from '@gatehouse/admin-api/generated/openapi'
import { Badge, Group, Text } from '@mantine/core'
import { Time } from '../activity/cells.tsx'
import { labelOf } from '../form/schema-form.tsx'
import type { ListDefinition } from '../list/definition.ts'
import { useDescribed } from '../list/described.tsx'
import { useDisabling } from '../list/disabling.tsx'
import { List } from '../list/list.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { Named } from '../parts/named.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { roleNames, roleTexts } from '../texts/role.ts'
import { useUserDisabling, useUserRevocation } from './actions.ts'
import { useUserSchema } from './attributes.ts'
import { useRights } from './rights.ts'
import { RoleBadge } from './role.tsx'
import { userTexts } from './texts/texts.ts'

/** All users. */
export function UserList() {
  const t = useTexts(userTexts)
  const common = useTexts(commonTexts)
  const roles = useTexts(roleTexts)
  const schema = useUserSchema('UserChange')
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
  const described = useDescribed('/admin/api/users', {
    labels: t.labels,
    columns: {
      username: {
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
      name: { label: labelOf(schema, 'name') },
      email: { cell: ({ email }) => <span style={{ overflowWrap: 'break-word' }}>{email || '–'}</span> },
      email_verified: {
        label: `${t.labels.email}: ${t.emailConfirmed}`,
        cell: ({ email, email_verified: confirmed }) => (email ? (confirmed ? common.yes : common.no) : '–'),
      },
      admin_role: { label: roles.role, cell: ({ admin_role: name }) => <RoleBadge role={name} /> },
      disabled: disabling.column,
      disabled_at: { cell: ({ disabled_at: at }) => (at ? <Time at={at} /> : '–') },
      user_id: { label: common.id },
      created_at: { cell: ({ created_at: at }) => <Time at={at} /> },
    },
    filters: {
      disabled: disabling.filter,
      admin_role: {
        label: roles.role,
        choices: roleNames.map((value) => ({ value, label: roles.titles[value] })),
      },
    },
  })
  const list: ListDefinition<'/admin/api/users'> = {
    ...described,
    id: ({ user_id: id }) => id,
    nameOf: ({ username }) => username,
    searchHint: t.searchHint,
    exportName: 'users',
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
