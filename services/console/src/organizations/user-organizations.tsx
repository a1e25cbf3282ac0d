import { Stack, Text } from '@mantine/core'
import { useAllPages } from '../groups/all-pages.tsx'
import { SwitchedOff } from '../groups/switched-off.tsx'
import { userAddress } from '../names/place.ts'
import { Loading } from '../parts/loading.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageLink, RoomyName } from '../parts/named.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { SmallTable } from '../parts/table/small-table.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { MemberRoleBadge } from './member-role.tsx'
import { memberTexts } from './texts/member.ts'
import { organizationTexts } from './texts/organization.ts'

/** The organizations of a user, with their role in each. */
export function UserOrganizations({ userId }: { userId: string }) {
  const t = useTexts(memberTexts)
  const common = useTexts(commonTexts)
  const { organizations } = useTexts(organizationTexts)
  const { items, query, more } = useAllPages('/admin/api/users/{user_id}/organizations', {
    path: { user_id: userId },
  })
  return (
    <Stack gap="lg">
      <SwitchedOff />
      <Panel title={organizations}>
        <Loading query={query} />
        {query.data && items.length === 0 && <Text size="sm">{t.noOrganizations}</Text>}
        {items.length > 0 && (
          <SmallTable
            label={organizations}
            rows={items}
            idOf={({ organization }) => organization.organization_id}
            columns={[
              [
                t.organization,
                ({ organization: { organization_id: id, name } }) => (
                  <RoomyName name={name} id={id} to={`/organizations/${id}`} />
                ),
              ],
              [t.shortRole, ({ role }) => <MemberRoleBadge role={role} />],
              [common.state, ({ organization }) => <State disabled={organization.disabled} />],
              [t.since, ({ joined_at: at }) => <Moment at={at} />],
            ]}
            action={({ organization: { organization_id: id } }) => (
              <PageLink to={userAddress({ organization_id: id }, userId)} size="sm">
                {t.groupsAndRoles}
              </PageLink>
            )}
          />
        )}
        {more}
      </Panel>
    </Stack>
  )
}
