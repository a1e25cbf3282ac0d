import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { DisablingButton } from '../actions/disabling-button.tsx'
import { ChangeHistory } from '../activity/change-history.tsx'
import { read } from '../api.ts'
import { RoleHolders } from '../groups/role-holders.tsx'
import { heldRoleTexts } from '../groups/texts/role.ts'
import { CopyableCode } from '../parts/copy.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Page } from '../parts/page.tsx'
import { TabPages } from '../parts/tab-pages.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { useResourceDisabling } from './actions.ts'
import { atResource } from './requests.ts'
import { ResourceOverview } from './resource-overview.tsx'
import { ResourceSettings } from './resource-settings.tsx'
import { resourceTexts } from './texts.ts'

/** Everything about one resource server. */
export function ResourcePage() {
  const { resourceId = '' } = useParams({ strict: false })
  const query = useQuery(read('/admin/api/resources/{resource_id}', atResource(resourceId).params))
  return <LoadedPage query={query}>{(resource) => <KnownResource resource={resource} />}</LoadedPage>
}

function KnownResource({ resource }: { resource: ResourceServer }) {
  const t = useTexts(resourceTexts)
  const { holders } = useTexts(heldRoleTexts)
  const may = useMay()
  const disabling = useResourceDisabling()
  const { name, identifier } = resource
  return (
    <Page
      title={name}
      about={<CopyableCode value={identifier} label={t.labels.identifier} />}
      actions={may('resources', 'write') && <DisablingButton item={resource} name={name} words={disabling} />}
    >
      <TabPages
        tabs={[
          { name: 'overview', label: t.overview, content: () => <ResourceOverview resource={resource} /> },
          {
            name: 'holders',
            label: holders,
            shown: resource.roles.length > 0 && may('groups', 'read'),
            content: () => <RoleHolders resource={resource} />,
          },
          ...(may('resources', 'write')
            ? [
                {
                  name: 'settings',
                  label: t.settings,
                  content: () => <ResourceSettings resource={resource} />,
                },
              ]
            : []),
          ...(may('activity', 'read')
            ? [{ name: 'history', label: t.history, content: () => <ChangeHistory target={identifier} /> }]
            : []),
        ]}
      />
    </Page>
  )
}
