import type { Organization, OrganizationChange } from '@gatehouse/admin-api/generated/openapi'
import { Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { DisablingButton } from '../actions/disabling-button.tsx'
import { ChangeHistory } from '../activity/change-history.tsx'
import { read } from '../api.ts'
import { ConnectionsIn, CreateConnection } from '../connections/connection-list.tsx'
import { useMayWrite as useMayWriteConnections } from '../connections/rights.ts'
import { connectionTexts } from '../connections/texts/connection.ts'
import { RevisedForm } from '../form/revised-form.tsx'
import { CreateGroup, GroupsIn } from '../groups/group-list.tsx'
import { SwitchedOff } from '../groups/switched-off.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Page } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import { TabPages } from '../parts/tab-pages.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { useOrganizationDisabling } from './actions.ts'
import { fromForm, toForm } from './attributes.ts'
import { useOrganizationSchema } from './form-schema.ts'
import { OrganizationDomains } from './organization-domains.tsx'
import { OrganizationInvitations } from './organization-invitations.tsx'
import { OrganizationMembers } from './organization-members.tsx'
import { OrganizationOverview } from './organization-overview.tsx'
import { OrganizationRoles } from './organization-roles.tsx'
import { atOrganization, changeOrganization } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { organizationTexts } from './texts/organization.ts'

/** Everything about one organization. */
export function OrganizationPage() {
  const { organizationId = '' } = useParams({ strict: false })
  const query = useQuery(
    read('/admin/api/organizations/{organization_id}', atOrganization(organizationId).params),
  )
  return (
    <LoadedPage query={query}>
      {(organization) => <KnownOrganization key={organizationId} organization={organization} />}
    </LoadedPage>
  )
}

function KnownOrganization({ organization }: { organization: Organization }) {
  const t = useTexts(organizationTexts)
  const { connections } = useTexts(connectionTexts)
  const may = useMay()
  const mayWrite = useMayWrite()
  const disabling = useOrganizationDisabling()
  const { organization_id: id, name, slug, disabled } = organization
  return (
    <Page
      title={name}
      about={
        <Stack gap={4}>
          <Group gap="xs">
            <Code style={{ overflowWrap: 'anywhere' }}>{slug}</Code>
            <State disabled={disabled} />
          </Group>
          <CopyableCode value={id} />
        </Stack>
      }
      actions={mayWrite && <DisablingButton item={organization} name={name} words={disabling} />}
    >
      <SwitchedOff />
      {!mayWrite && <Text size="sm">{t.readOnly}</Text>}
      <TabPages
        tabs={[
          {
            name: 'overview',
            label: t.overview,
            content: () => <OrganizationOverview organization={organization} />,
          },
          { name: 'members', label: t.members, content: () => <OrganizationMembers id={id} /> },
          { name: 'groups', label: t.groups, content: () => <OrganizationGroups id={id} /> },
          {
            name: 'roles',
            label: t.roles,
            shown: may('resources', 'read'),
            content: () => <OrganizationRoles id={id} />,
          },
          { name: 'invitations', label: t.invitations, content: () => <OrganizationInvitations id={id} /> },
          { name: 'domains', label: t.domains, content: () => <OrganizationDomains id={id} /> },
          {
            name: 'connections',
            label: connections,
            shown: may('connections', 'read'),
            content: () => <OrganizationConnections id={id} />,
          },
          {
            name: 'settings',
            label: t.settings,
            shown: mayWrite,
            content: () => <OrganizationSettings organization={organization} />,
          },
          {
            name: 'history',
            label: t.history,
            shown: may('activity', 'read'),
            content: () => <ChangeHistory target={id} />,
          },
        ]}
      />
    </Page>
  )
}

function OrganizationGroups({ id }: { id: string }) {
  const t = useTexts(organizationTexts)
  const place = { organization_id: id }
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm">{t.groupsText}</Text>
        {useMayWrite() && <CreateGroup place={place} />}
      </Group>
      <GroupsIn place={place} />
    </Stack>
  )
}

function OrganizationConnections({ id }: { id: string }) {
  const t = useTexts(organizationTexts)
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm">{t.connectionsText}</Text>
        {useMayWriteConnections() && <CreateConnection organization={id} />}
      </Group>
      <ConnectionsIn organization={id} />
    </Stack>
  )
}

function OrganizationSettings({ organization }: { organization: Organization }) {
  const { organization_id: id } = organization
  return (
    <RevisedForm
      schema={useOrganizationSchema('OrganizationChange')}
      current={organization}
      valuesOf={toForm}
      main={['name', 'slug', 'logo_uri', 'color', 'second_factor_required', 'sso_required', 'attributes']}
      without={['disabled']}
      path="/admin/api/organizations/{organization_id}"
      params={atOrganization(id).params}
      send={(change) => changeOrganization(id, fromForm(change) as OrganizationChange)}
    />
  )
}
