import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ChangeHistory } from '../activity/change-history.tsx'
import { read } from '../api.ts'
import { useAct } from '../parts/act.ts'
import { useConfirmation } from '../parts/confirm.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { FailedPage, replacesPage } from '../parts/failed-page.tsx'
import { Page } from '../parts/page.tsx'
import { TabPages } from '../parts/tab-pages.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { atResource, changeResource } from './requests.ts'
import { ResourceOverview } from './resource-overview.tsx'
import { ResourceSettings } from './resource-settings.tsx'
import { resourceTexts } from './texts.ts'

/** Everything about one resource server. */
export function ResourcePage() {
  const { resourceId = '' } = useParams({ strict: false })
  const t = useTexts(resourceTexts)
  const may = useMay()
  const {
    data: resource,
    error,
    refetch,
  } = useQuery(read('/admin/api/resources/{resource_id}', atResource(resourceId).params))
  if (replacesPage(error, resource)) return <FailedPage error={error} retry={refetch} />
  if (resource === undefined) return null
  const { name, identifier } = resource
  return (
    <Page
      title={name}
      about={<CopyableCode value={identifier} label={t.identifier} />}
      actions={may('resources', 'write') && <Toggle resource={resource} />}
    >
      <TabPages
        tabs={[
          { name: 'overview', label: t.overview, content: () => <ResourceOverview resource={resource} /> },
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

function Toggle({ resource: { resource_id: id, name, disabled } }: { resource: ResourceServer }) {
  const t = useTexts(resourceTexts)
  const common = useTexts(commonTexts)
  const { act, isPending } = useAct()
  const { ask, dialog } = useConfirmation()
  const set = (wanted: boolean) => () => changeResource(id, { disabled: wanted })
  const disable = () => act(set(true), t.disabledNotice(name), set(false))
  return (
    <>
      <Button
        variant="default"
        loading={isPending}
        onClick={() =>
          disabled
            ? void act(set(false), t.enabledNotice(name), set(true))
            : ask({
                title: `${common.disable}: ${name}`,
                consequences: t.disableEnds,
                action: common.disable,
                perform: disable,
              })
        }
      >
        {disabled ? common.enable : common.disable}
      </Button>
      {dialog}
    </>
  )
}
