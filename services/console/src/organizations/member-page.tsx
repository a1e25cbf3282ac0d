import type { UserOrganization } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../actions/act.ts'
import { DangerZone } from '../actions/danger.tsx'
import { ApiError, read } from '../api.ts'
import { demandDone } from '../groups/outcomes.tsx'
import { UserGroupsAndRoles } from '../groups/user-groups.tsx'
import { OfOrganization } from '../names/organization-name.tsx'
import { useUserName } from '../names/user-by-id.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { FailedPage } from '../parts/failed-page.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageLink } from '../parts/named.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { MemberRoleBadge, MemberRoleInput } from './member-role.tsx'
import { changeOrganizationMembers } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { memberTexts } from './texts/member.ts'

/** A user is in 100 organizations at most. */
const all = 200

/** A member of an organization: their role, and their groups and roles in it. */
export function MemberPage() {
  const { organizationId = '', userId = '' } = useParams({ strict: false })
  const query = useQuery(
    read('/admin/api/users/{user_id}/organizations', { path: { user_id: userId }, query: { limit: all } }),
  )
  return (
    <LoadedPage query={query}>
      {({ items }) => {
        const membership = items.find(({ organization }) => organization.organization_id === organizationId)
        if (membership === undefined) return <FailedPage error={new ApiError(404, 'not_found', '')} />
        return <KnownMember key={`${organizationId} ${userId}`} userId={userId} membership={membership} />
      }}
    </LoadedPage>
  )
}

/** A membership, and of which user it is. */
type Known = { userId: string; membership: UserOrganization }

function KnownMember({ userId, membership }: Known) {
  const t = useTexts(memberTexts)
  const may = useMay()
  const { name = userId, to } = useUserName(userId)
  const { data: user } = useQuery({
    ...read('/admin/api/users/{user_id}', { path: { user_id: userId } }),
    enabled: may('users', 'read'),
  })
  const { organization_id: id } = membership.organization
  const mayWrite = useMayWrite()
  return (
    <Page
      title={name}
      about={
        <Stack gap={4}>
          <OfOrganization id={id} />
          {to && (
            <PageLink to={to} size="sm">
              {t.toUser}
            </PageLink>
          )}
          <CopyableCode value={userId} />
        </Stack>
      }
    >
      <Panel title={t.role} actions={<MemberRoleBadge role={membership.role} />}>
        <Stack gap="sm">
          <Text size="sm">
            {t.since} <Moment at={membership.joined_at} />
          </Text>
          {mayWrite ? (
            <RoleForm key={membership.role} name={name} userId={userId} membership={membership} />
          ) : (
            <Text size="sm">{t.descriptions[membership.role]}</Text>
          )}
        </Stack>
      </Panel>
      <UserGroupsAndRoles
        user={{ user_id: userId, username: name, admin_role: user?.admin_role }}
        place={{ organization_id: id }}
      />
      {mayWrite && <Danger name={name} userId={userId} membership={membership} />}
    </Page>
  )
}

function RoleForm({ userId, name, membership: { organization, role: current } }: Known & { name: string }) {
  const t = useTexts(memberTexts)
  const { act, isPending } = useAct()
  const [role, setRole] = useState(current)
  const set = async (wanted: typeof role) => {
    const change = { set: [{ user_id: userId, role: wanted }] }
    demandDone((await changeOrganizationMembers(organization.organization_id, change)).set)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void act(
          () => set(role),
          t.changed(name, t.roles[role]),
          () => set(current),
        )
      }}
    >
      <Group align="flex-end" gap="xs">
        <MemberRoleInput role={role} onChange={setRole} />
        <Button type="submit" loading={isPending} disabled={role === current}>
          {t.change}
        </Button>
      </Group>
    </form>
  )
}

function Danger({ userId, name, membership: { organization } }: Known & { name: string }) {
  const t = useTexts(memberTexts)
  const { act } = useAct()
  const navigate = useNavigate()
  const { organization_id: id } = organization
  const question = {
    title: t.removeTitle(name),
    consequences: t.removeEnds,
    action: t.remove,
    perform: () =>
      act(async () => {
        demandDone((await changeOrganizationMembers(id, { remove: [userId] })).removed)
        // Before everything is read again: the page must not ask for what is gone.
        await navigate({ to: `/organizations/${id}`, search: { tab: 'members' } } as never)
      }, t.removed(name)),
  }
  return <DangerZone title={t.danger} actions={[{ text: t.removeText, question }]} />
}
