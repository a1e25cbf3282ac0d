import type { User } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { DisablingButton } from '../actions/disabling-button.tsx'
import { ChangeHistory } from '../activity/change-history.tsx'
import { LoginList } from '../activity/login-list.tsx'
import { everythingTexts } from '../activity/texts/everything.ts'
import { read } from '../api.ts'
import { linkTexts } from '../connections/texts/link.ts'
import { UserLinks } from '../connections/user-links.tsx'
import { UserGroupsAndRoles } from '../groups/user-groups.tsx'
import { MailTable } from '../mails/mail-list.tsx'
import { organizationTexts } from '../organizations/texts/organization.ts'
import { UserOrganizations } from '../organizations/user-organizations.tsx'
import { ButtonLink } from '../parts/button-link.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { PageLink } from '../parts/named.tsx'
import { Page } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import { type TabPage, TabPages } from '../parts/tab-pages.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { TokenTable } from '../tokens/token-table.tsx'
import { useUserDisabling } from './actions.ts'
import { atUser } from './requests.ts'
import { useRights } from './rights.ts'
import { RoleBadge } from './role.tsx'
import { userTexts } from './texts/texts.ts'
import { TokenPreview } from './token-preview.tsx'
import { UserOverview } from './user-overview.tsx'
import { UserProfile } from './user-profile.tsx'
import { UserSecurity } from './user-security.tsx'

/** Everything about one user. */
export function UserPage() {
  const { userId = '' } = useParams({ strict: false })
  const query = useQuery(read('/admin/api/users/{user_id}', atUser(userId).params))
  return <LoadedPage query={query}>{(user) => <KnownUser key={userId} user={user} />}</LoadedPage>
}

function KnownUser({ user }: { user: User }) {
  const t = useTexts(userTexts)
  const { activity } = useTexts(everythingTexts)
  const may = useMay()
  const { isSelf, mayChange } = useRights()
  const disabling = useUserDisabling()
  const tabs = useTabs(user)
  const change = mayChange(user)
  return (
    <Page
      title={user.username}
      about={
        <Stack gap={4}>
          <Group gap="xs">
            {user.name && <Text>{user.name}</Text>}
            <State disabled={user.disabled} />
            <RoleBadge role={user.admin_role} />
            {isSelf(user) && <Badge variant="default">{t.you}</Badge>}
          </Group>
          <CopyableCode value={user.user_id} />
        </Stack>
      }
      actions={
        <>
          {may('activity', 'read') && (
            <ButtonLink variant="default" to="/activity" search={{ user_id: user.user_id } as never}>
              {activity}
            </ButtonLink>
          )}
          {change && !isSelf(user) && <DisablingButton item={user} name={user.username} words={disabling} />}
        </>
      }
    >
      {isSelf(user) && may('users', 'write') && <Text size="sm">{t.ownAccount}</Text>}
      {may('users', 'write') && !change && (
        <Alert color="yellow" title={t.administrator(user.username)} role="note" />
      )}
      <TabPages tabs={tabs} />
    </Page>
  )
}

function useTabs(user: User): TabPage[] {
  const t = useTexts(userTexts)
  const { organizations } = useTexts(organizationTexts)
  const { links } = useTexts(linkTexts)
  const may = useMay()
  const { mayChange } = useRights()
  const { user_id: id } = user
  return [
    { name: 'overview', label: t.overview, content: () => <UserOverview user={user} /> },
    {
      name: 'profile',
      label: t.profile,
      shown: mayChange(user),
      content: () => <UserProfile user={user} />,
    },
    { name: 'security', label: t.security, content: () => <UserSecurity user={user} /> },
    {
      name: 'groups',
      label: t.groupsAndRoles,
      shown: may('groups', 'read'),
      content: () => <UserGroupsAndRoles user={user} />,
    },
    {
      name: 'organizations',
      label: organizations,
      shown: may('organizations', 'read'),
      content: () => <UserOrganizations userId={id} />,
    },
    {
      name: 'links',
      label: links,
      shown: may('connections', 'read'),
      content: () => <UserLinks userId={id} />,
    },
    {
      name: 'tokens',
      label: t.tokens,
      shown: may('tokens', 'read'),
      content: () => <TokenTable of={{ user_id: id }} />,
    },
    {
      name: 'preview',
      label: t.preview,
      shown: may('clients', 'read'),
      content: () => <TokenPreview user={user} />,
    },
    {
      name: 'logins',
      label: t.logins,
      shown: may('activity', 'read'),
      content: () => <LoginList of={{ user_id: id }} />,
    },
    {
      name: 'history',
      label: t.history,
      shown: may('activity', 'read'),
      content: () => <History user={user} />,
    },
    { name: 'mails', label: t.mails, shown: may('mails', 'read'), content: () => <MailTable userId={id} /> },
  ]
}

function History({ user: { user_id: id, admin_role: role } }: { user: User }) {
  const t = useTexts(userTexts)
  return (
    <Stack>
      {role && (
        <PageLink to="/activity" search={{ tab: 'audit', actor_id: id } as never} size="sm">
          {t.ownActions}
        </PageLink>
      )}
      <ChangeHistory target={id} />
    </Stack>
  )
}
