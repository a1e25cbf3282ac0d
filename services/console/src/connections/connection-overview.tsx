import type { Connection } from '@gatehouse/admin-api/generated/openapi'
import { Stack, Text } from '@mantine/core'
import { DangerZone } from '../actions/danger.tsx'
import { useDeletion } from '../actions/deletion.ts'
import { labelOf } from '../form/schema-form.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useConnectionSchema } from './form-schema.ts'
import { kindNames } from './kinds.ts'
import { MappingTable } from './mapping-table.tsx'
import { deleteConnection } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { connectionTexts } from './texts/connection.ts'

/** The settings of a connection, the addresses that its provider needs, and what ends it. */
export function ConnectionOverview({ connection }: { connection: Connection }) {
  const t = useTexts(connectionTexts)
  const common = useTexts(commonTexts)
  const mayWrite = useMayWrite()
  const { kind, organization, name, disabled, disabled_at: disabledAt } = connection
  const place = { kind, ofOrganization: organization !== undefined }
  const { schema } = useConnectionSchema('ConnectionChange', place)
  const label = (field: string) => labelOf(schema, field)
  const answer = (is: boolean) => (is ? common.yes : common.no)
  const code = (field: string, value: string | undefined) =>
    [label(field), value && <CopyableCode key={field} value={value} label={label(field)} />] as const
  const settings = [
    [common.name, <bdi key="name">{name}</bdi>],
    [common.state, <State key="state" disabled={disabled} />],
    [t.disabledSince, disabledAt && <Moment key="disabled" at={disabledAt} />],
    [t.labels.kind, kindNames[kind]],
    code('issuer', connection.issuer),
    code('client_id', connection.client_id),
    [label('client_authentication'), connection.client_authentication],
    [t.secret, answer(connection.has_client_secret)],
    [label('scope'), connection.scope],
    [label('acr_values'), connection.acr_values],
    [label('tenants'), connection.tenants.join(' ')],
    [label('trusts_second_factor'), answer(connection.trusts_second_factor)],
    [label('new_users'), connection.new_users],
    [label('domains'), connection.domains.join(' ')],
    [label('on_login_page'), answer(connection.on_login_page)],
    [t.linkCount, connection.links],
    [t.orphanedCount, connection.orphaned_links || undefined],
    [common.created, <Moment key="created" at={connection.created_at} />],
  ] as const
  return (
    <Stack gap="lg">
      <Addresses connection={connection} />
      <Panel title={t.overview}>
        <Facts facts={settings} />
      </Panel>
      <MappingTable rules={connection.mapping} />
      {mayWrite && <Danger connection={connection} />}
    </Stack>
  )
}

function Addresses({ connection }: { connection: Connection }) {
  const t = useTexts(connectionTexts)
  const { redirect_uri: redirect, backchannel_logout_uri: logout, jwks_uri: keys } = connection
  const address = (label: string, value: string | undefined) =>
    [label, value && <CopyableCode key={label} value={value} label={label} />] as const
  return (
    <Panel title={t.addresses}>
      <Text size="sm" mb="sm">
        {t.addressesText}
      </Text>
      <Facts
        facts={[address(t.redirectUri, redirect), address(t.logoutUri, logout), address(t.keysUri, keys)]}
      />
    </Panel>
  )
}

function Danger({ connection: { connection_id: id, name } }: { connection: Connection }) {
  const t = useTexts(connectionTexts)
  const deletion = useDeletion(name, '/connections', t, () => deleteConnection(id))
  return <DangerZone title={t.danger} actions={[deletion]} />
}
