import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Code, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { DangerZone } from '../actions/danger.tsx'
import { useDeletion } from '../actions/deletion.ts'
import { ClientName } from '../names/client-name.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { State } from '../parts/state.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { secondsIn } from './lifetime.ts'
import { deleteResource } from './requests.ts'
import { resourceTexts } from './texts.ts'

/** The overview of a resource server: its fields, its scopes, and the actions that end it. */
export function ResourceOverview({ resource }: { resource: ResourceServer }) {
  const t = useTexts(resourceTexts)
  const common = useTexts(commonTexts)
  const { language } = useLanguage()
  const mayWrite = useMay()('resources', 'write')
  const { resource_id: id, client_id: clientId, token_lifetime: lifetime, created_at: created } = resource
  return (
    <Stack gap="lg">
      <Paper withBorder p="md">
        <Facts
          facts={[
            [common.state, <State key="state" disabled={resource.disabled} />],
            [
              t.labels.token_lifetime,
              lifetime === undefined ? t.lifetimeOfClient : t.lifetimeAtMost(secondsIn(lifetime, language)),
            ],
            [t.labels.open_registration, resource.open_registration ? common.yes : common.no],
            [t.labels.client_id, clientId ? <ClientName key="client" id={clientId} /> : t.noClient],
            [common.created, <Moment key="created" at={created} />],
            [common.id, <CopyableCode key="id" value={id} label={common.id} />],
          ]}
        />
      </Paper>
      <Paper withBorder p="md">
        <Title order={2} size="h4" mb="xs" id="scopes">
          {t.labels.scopes}
        </Title>
        <Table aria-labelledby="scopes" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.scope}</Table.Th>
              <Table.Th>{t.scopeWords}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {resource.scopes.map(({ scope, description }) => (
              <Table.Tr key={scope}>
                <Table.Td>
                  <Code style={{ overflowWrap: 'anywhere' }}>{scope}</Code>
                </Table.Td>
                <Table.Td>
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {description}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {mayWrite && <Danger resource={resource} />}
    </Stack>
  )
}

function Danger({ resource: { resource_id: id, name } }: { resource: ResourceServer }) {
  const t = useTexts(resourceTexts)
  const deletion = useDeletion(name, '/resources', t, () => deleteResource(id))
  return <DangerZone title={t.danger} actions={[deletion]} />
}
