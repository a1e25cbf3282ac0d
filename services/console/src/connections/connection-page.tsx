import type { Connection, ConnectionChange } from '@gatehouse/admin-api/generated/openapi'
import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { DisablingButton } from '../actions/disabling-button.tsx'
import { ChangeHistory } from '../activity/change-history.tsx'
import { read } from '../api.ts'
import { RevisedForm } from '../form/revised-form.tsx'
import { SwitchedOff } from '../groups/switched-off.tsx'
import { OfOrganization } from '../names/organization-name.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { TabPages } from '../parts/tab-pages.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { useConnectionDisabling } from './actions.ts'
import { ConnectionLinks } from './connection-links.tsx'
import { ConnectionOverview } from './connection-overview.tsx'
import { mainSettings, useConnectionSchema } from './form-schema.ts'
import { kindNames } from './kinds.ts'
import { MappingForm } from './mapping-form.tsx'
import { atConnection, changeConnection } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { connectionTexts } from './texts/connection.ts'

/** Everything about one connection. */
export function ConnectionPage() {
  const { connectionId = '' } = useParams({ strict: false })
  const query = useQuery(read('/admin/api/connections/{connection_id}', atConnection(connectionId).params))
  return (
    <LoadedPage query={query}>
      {(connection) => <KnownConnection key={connectionId} connection={connection} />}
    </LoadedPage>
  )
}

function KnownConnection({ connection }: { connection: Connection }) {
  const t = useTexts(connectionTexts)
  const may = useMay()
  const mayWrite = useMayWrite()
  const disabling = useConnectionDisabling()
  const { connection_id: id, name, kind, disabled, organization } = connection
  return (
    <Page
      title={name}
      about={
        <Stack gap={4}>
          <Group gap="xs">
            <Code>{kindNames[kind]}</Code>
            <State disabled={disabled} />
          </Group>
          {organization === undefined ? t.ofInstance : <OfOrganization id={organization} />}
          <CopyableCode value={id} />
        </Stack>
      }
      actions={mayWrite && <DisablingButton item={connection} name={name} words={disabling} />}
    >
      <SwitchedOff />
      {!mayWrite && <Text size="sm">{t.readOnly}</Text>}
      <TabPages
        tabs={[
          {
            name: 'overview',
            label: t.overview,
            content: () => <ConnectionOverview connection={connection} />,
          },
          {
            name: 'settings',
            label: t.settings,
            shown: mayWrite,
            content: () => <ConnectionSettings connection={connection} />,
          },
          {
            name: 'mapping',
            label: t.mapping,
            shown: mayWrite,
            content: () => <MappingForm connection={connection} />,
          },
          { name: 'links', label: t.links, content: () => <ConnectionLinks connection={connection} /> },
          { name: 'test', label: t.tryIt, content: () => <TestLogin id={id} /> },
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

function ConnectionSettings({ connection }: { connection: Connection }) {
  const { connection_id: id, kind, organization } = connection
  const place = { kind, ofOrganization: organization !== undefined }
  const { schema, without } = useConnectionSchema('ConnectionChange', place)
  return (
    <RevisedForm
      schema={schema}
      current={connection}
      main={mainSettings}
      without={without}
      path="/admin/api/connections/{connection_id}"
      params={atConnection(id).params}
      irreversible={['client_secret']}
      send={(change) => changeConnection(id, change as ConnectionChange)}
    />
  )
}

/** Leads to a login of which nothing is stored. It is no page of the console, so that it opens beside it. */
function TestLogin({ id }: { id: string }) {
  const t = useTexts(connectionTexts)
  return (
    <Panel title={t.tryIt}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t.tryText}</Text>
        <Text size="sm">{t.tryNothing}</Text>
        <Button component="a" href={`/auth/login/${id}?test=yes`} target="_blank" rel="noopener">
          {t.tryNow}
        </Button>
      </Stack>
    </Panel>
  )
}
