import type { Organization } from '@gatehouse/admin-api/generated/openapi'
import { Anchor, Code, ColorSwatch, Group, Stack } from '@mantine/core'
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
import { useOrganizationSchema } from './form-schema.ts'
import { deleteOrganization } from './requests.ts'
import { useMayWrite } from './rights.ts'
import { organizationTexts } from './texts/organization.ts'

/** The settings of an organization, and what ends it. */
export function OrganizationOverview({ organization }: { organization: Organization }) {
  const t = useTexts(organizationTexts)
  const common = useTexts(commonTexts)
  const schema = useOrganizationSchema('OrganizationChange')
  const mayWrite = useMayWrite()
  const { organization_id: id, name, slug, disabled, attributes } = organization
  const { disabled_at: disabledAt, created_at: created } = organization
  const { logo_uri: logo, color, second_factor_required: second } = organization
  return (
    <Stack gap="lg">
      <Panel title={t.overview}>
        <Facts
          facts={[
            [common.name, <bdi key="name">{name}</bdi>],
            [labelOf(schema, 'slug'), <CopyableCode key="slug" value={slug} label={slug} />],
            [common.state, <State key="state" disabled={disabled} />],
            [t.disabledSince, disabledAt && <Moment key="disabled" at={disabledAt} />],
            [labelOf(schema, 'second_factor_required'), second ? common.yes : common.no],
            [labelOf(schema, 'sso_required'), organization.sso_required ? common.yes : common.no],
            [labelOf(schema, 'logo_uri'), logo && <Logo key="logo" address={logo} />],
            [labelOf(schema, 'color'), color && <Color key="color" color={color} />],
            [
              labelOf(schema, 'attributes'),
              Object.keys(attributes).length > 0 && <Attributes key="attributes" attributes={attributes} />,
            ],
            [common.created, <Moment key="created" at={created} />],
            [common.id, <CopyableCode key="id" value={id} label={common.id} />],
          ]}
        />
      </Panel>
      {mayWrite && <Danger organization={organization} />}
    </Stack>
  )
}

/** The picture is of another origin, from which the console loads nothing. */
function Logo({ address }: { address: string }) {
  if (!address.startsWith('https://')) return address
  return (
    <Anchor href={address} target="_blank" rel="noreferrer" style={{ overflowWrap: 'anywhere' }}>
      {address}
    </Anchor>
  )
}

function Color({ color }: { color: string }) {
  return (
    <Group gap="xs">
      <ColorSwatch color={color} size={18} />
      <Code>{color}</Code>
    </Group>
  )
}

function Attributes({ attributes }: { attributes: Readonly<Record<string, string>> }) {
  return Object.entries(attributes).map(([name, value]) => (
    <div key={name} style={{ overflowWrap: 'anywhere' }}>
      <Code>{name}</Code> <bdi>{value}</bdi>
    </div>
  ))
}

function Danger({ organization: { organization_id: id, name } }: { organization: Organization }) {
  const t = useTexts(organizationTexts)
  const deletion = useDeletion(name, '/organizations', t, () => deleteOrganization(id))
  return <DangerZone title={t.danger} actions={[deletion]} />
}
