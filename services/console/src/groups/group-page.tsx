import type { Group, GroupChange } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { DangerZone } from '../actions/danger.tsx'
import { useDeletion } from '../actions/deletion.ts'
import { ChangeHistory } from '../activity/change-history.tsx'
import { read } from '../api.ts'
import { RevisedForm } from '../form/revised-form.tsx'
import { OfOrganization } from '../names/organization-name.tsx'
import { groupsAddress, type Place, pathIn } from '../names/place.ts'
import { CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { TabPages } from '../parts/tab-pages.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useGroupSchema } from './form-schema.ts'
import { GroupMembers } from './group-members.tsx'
import { HeldRoles } from './held-roles.tsx'
import { atGroup, changeGroup, deleteGroup } from './requests.ts'
import { isLocal, useGroupRights } from './rights.ts'
import { SwitchedOff } from './switched-off.tsx'
import { groupTexts } from './texts/group.ts'
import { usePlace } from './use-place.ts'

/** Everything about one group, in the place that the address says. */
export function GroupPage() {
  const { groupId = '' } = useParams({ strict: false })
  const place = usePlace()
  const query = useQuery(
    read(pathIn(place, '/admin/api/groups/{group_id}'), atGroup({ ...place, group_id: groupId }).params),
  )
  return (
    <LoadedPage query={query}>
      {(group) => <KnownGroup key={groupId} group={group} place={place} />}
    </LoadedPage>
  )
}

/** A group, and where it is. */
type Placed = { group: Group; place: Place }

function KnownGroup({ group, place }: Placed) {
  const t = useTexts(groupTexts)
  const may = useMay()
  const { mayWrite, mayChange } = useGroupRights(place)
  const { group_id: id, name, description, source } = group
  const holder = { kind: 'group', id, name, place } as const
  return (
    <Page
      title={name}
      about={
        <Stack gap={4}>
          {description && (
            <Text style={{ overflowWrap: 'anywhere' }}>
              <bdi>{description}</bdi>
            </Text>
          )}
          {place.organization_id !== undefined && <OfOrganization id={place.organization_id} />}
          <CopyableCode value={id} />
        </Stack>
      }
    >
      <SwitchedOff />
      {!mayWrite && <Text size="sm">{t.readOnly}</Text>}
      {!isLocal(group) && <Alert color="yellow" title={t.fromDirectory(source)} role="note" />}
      <TabPages
        tabs={[
          {
            name: 'overview',
            label: t.overview,
            content: () => <GroupOverview group={group} place={place} />,
          },
          { name: 'members', label: t.members, content: () => <GroupMembers group={group} place={place} /> },
          {
            name: 'roles',
            label: t.roles,
            content: () => <HeldRoles holder={holder} mayChange={mayWrite} />,
          },
          {
            name: 'settings',
            label: t.settings,
            shown: mayChange(group),
            content: () => <GroupSettings group={group} place={place} />,
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

function GroupOverview({ group, place }: Placed) {
  const t = useTexts(groupTexts)
  const common = useTexts(commonTexts)
  const { mayChange } = useGroupRights(place)
  const { group_id: id, name, description, created_at: created } = group
  return (
    <Stack gap="lg">
      <Panel title={t.overview}>
        <Facts
          facts={[
            [common.name, name],
            [t.labels.description, description && <bdi key="description">{description}</bdi>],
            [t.labels.source, isLocal(group) ? t.byAdministrators : group.source],
            [common.created, <Moment key="created" at={created} />],
            [common.id, <CopyableCode key="id" value={id} label={common.id} />],
          ]}
        />
      </Panel>
      {mayChange(group) && <Danger group={group} place={place} />}
    </Stack>
  )
}

function GroupSettings({ group, place }: Placed) {
  const at = { ...place, group_id: group.group_id }
  return (
    <RevisedForm
      schema={useGroupSchema('GroupChange')}
      current={group}
      main={['name', 'description']}
      without={[]}
      path={pathIn(place, '/admin/api/groups/{group_id}')}
      params={atGroup(at).params}
      send={(change) => changeGroup(at, change as GroupChange)}
    />
  )
}

function Danger({ group: { group_id: id, name }, place }: Placed) {
  const t = useTexts(groupTexts)
  const deletion = useDeletion(name, listOf(place), t, () => deleteGroup({ ...place, group_id: id }))
  return <DangerZone title={t.danger} actions={[deletion]} />
}

/** Where the list of the groups of a place is: that of an organization is a tab of its page. */
function listOf(place: Place) {
  const { organization_id: id } = place
  return id === undefined ? groupsAddress(place) : { to: `/organizations/${id}`, search: { tab: 'groups' } }
}
