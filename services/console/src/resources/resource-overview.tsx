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
import { roleTexts } from './role-texts.ts'
import { resourceTexts } from './texts.ts'

/** The overview of a resource server: its fields, its scopes, and the actions that end it. */
export function ResourceOverview({ resource }: { resource: ResourceServer }) {
  const t = useTexts(resourceTexts)
  const roles = useTexts(roleTexts)
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
            [t.labels.scopes_by_role, resource.scopes_by_role ? common.yes : common.no],
            [t.labels.token_claims, resource.token_claims.join(', ') || '–'],
            [t.labels.claims_shape, resource.claims_shape],
            [t.labels.client_id, clientId ? <ClientName key="client" id={clientId} /> : t.noClient],
            [common.created, <Moment key="created" at={created} />],
            [common.id, <CopyableCode key="id" value={id} label={common.id} />],
          ]}
        />
      </Paper>
      <Words
        id="scopes"
        title={t.labels.scopes}
        columns={[t.scope, t.scopeWords]}
        rows={resource.scopes.map(({ scope, description }) => [scope, description])}
      />
      {resource.roles.length > 0 && (
        <Words
          id="roles"
          title={t.labels.roles}
          columns={[roles.role, roles.roleScopes, roles.roleWords]}
          rows={resource.roles.map(({ name, scopes, description }) => [name, scopes.join(' '), description])}
        />
      )}
      {mayWrite && <Danger resource={resource} />}
    </Stack>
  )
}

/** A table of words of the API and what they mean. @param rows the first of each is the word */
function Words({
  id,
  title,
  columns,
  rows,
}: {
  id: string
  title: string
  columns: readonly string[]
  rows: readonly (readonly [string, ...string[]])[]
}) {
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs" id={id}>
        {title}
      </Title>
      <Table aria-labelledby={id} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([word, ...others]) => (
            <Table.Tr key={word}>
              <Table.Td>
                <Code style={{ overflowWrap: 'anywhere' }}>{word}</Code>
              </Table.Td>
              {others.map((text, at) => (
                <Table.Td key={columns[at + 1]}>
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {text}
                  </Text>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

function Danger({ resource: { resource_id: id, name } }: { resource: ResourceServer }) {
  const t = useTexts(resourceTexts)
  const deletion = useDeletion(name, '/resources', t, () => deleteResource(id))
  return <DangerZone title={t.danger} actions={[deletion]} />
}
