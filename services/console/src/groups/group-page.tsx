import type { Group, GroupChange } from '@gatehouse/admin-api/generated/openapi'
import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { DangerZone } from '../actions/danger.tsx'
import { useDeletion } from '../actions/deletion.ts'
import { ChangeHistory } from '../activity/change-history.tsx'
import { read } from '../api.ts'
import { RevisedForm } from '../form/revised-form.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { FailedPage, replacesPage } from '../parts/failed-page.tsx'
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

/** Everything about one group. */
export function GroupPage() {
  const { groupId = '' } = useParams({ strict: false })
  const {
    data: group,
    error,
    refetch,
  } = useQuery(read('/admin/api/groups/{group_id}', atGroup(groupId).params))
  if (replacesPage(error, group)) return <FailedPage error={error} retry={refetch} />
  if (group === undefined) return null
  return <KnownGroup key={groupId} group={group} />
}

function KnownGroup({ group }: { group: Group }) {
  const t = useTexts(groupTexts)
  const may = useMay()
  const { mayWrite, mayChange } = useGroupRights()
  const { group_id: id, name, description, source } = group
  const holder = { kind: 'group', id, name } as const
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
          <CopyableCode value={id} />
        </Stack>
      }
    >
      <SwitchedOff />
      {!mayWrite && <Text size="sm">{t.readOnly}</Text>}
      {!isLocal(group) && <Alert color="yellow" title={t.fromDirectory(source)} role="note" />}
      <TabPages
        tabs={[
          { name: 'overview', label: t.overview, content: () => <GroupOverview group={group} /> },
          { name: 'members', label: t.members, content: () => <GroupMembers group={group} /> },
          {
            name: 'roles',
            label: t.roles,
            content: () => <HeldRoles holder={holder} mayChange={mayWrite} />,
          },
          {
            name: 'settings',
            label: t.settings,
            shown: mayChange(group),
            content: () => <GroupSettings group={group} />,
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

function GroupOverview({ group }: { group: Group }) {
  const t = useTexts(groupTexts)
  const common = useTexts(commonTexts)
  const { mayChange } = useGroupRights()
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
      {mayChange(group) && <Danger group={group} />}
    </Stack>
  )
}

function GroupSettings({ group }: { group: Group }) {
  const { group_id: id } = group
  return (
    <RevisedForm
      schema={useGroupSchema('GroupChange')}
      current={group}
      main={['name', 'description']}
      without={[]}
      path="/admin/api/groups/{group_id}"
      params={atGroup(id).params}
      send={(change) => changeGroup(id, change as GroupChange)}
    />
  )
}

function Danger({ group: { group_id: id, name } }: { group: Group }) {
  const t = useTexts(groupTexts)
  const deletion = useDeletion(name, '/groups', t, () => deleteGroup(id))
  return <DangerZone title={t.danger} actions={[deletion]} />
}
