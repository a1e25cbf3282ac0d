import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { Code, Paper, Stack } from '@mantine/core'
import { DangerZone } from '../actions/danger.tsx'
import { useDeletion } from '../actions/deletion.ts'
import { ClientName } from '../names/client-name.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { SmallTable } from '../parts/table/small-table.tsx'
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
      <Panel title={t.labels.scopes}>
        <SmallTable
          label={t.labels.scopes}
          rows={resource.scopes}
          idOf={({ scope }) => scope}
          columns={[
            [t.scope, ({ scope }) => <Word>{scope}</Word>],
            [t.scopeWords, ({ description }) => description],
          ]}
        />
      </Panel>
      {resource.roles.length > 0 && (
        <Panel title={t.labels.roles}>
          <SmallTable
            label={t.labels.roles}
            rows={resource.roles}
            idOf={({ name }) => name}
            columns={[
              [roles.role, ({ name }) => <Word>{name}</Word>],
              [roles.roleWords, ({ description }) => description],
              [roles.roleScopes, ({ scopes }) => scopes.join(' ')],
              [roles.roleMayGive, ({ organizations_may_give: may }) => (may ? common.yes : common.no)],
            ]}
          />
        </Panel>
      )}
      {mayWrite && <Danger resource={resource} />}
    </Stack>
  )
}

function Word({ children }: { children: string }) {
  return <Code style={{ overflowWrap: 'anywhere' }}>{children}</Code>
}

function Danger({ resource: { resource_id: id, name } }: { resource: ResourceServer }) {
  const t = useTexts(resourceTexts)
  const deletion = useDeletion(name, '/resources', t, () => deleteResource(id))
  return <DangerZone title={t.danger} actions={[deletion]} />
}
