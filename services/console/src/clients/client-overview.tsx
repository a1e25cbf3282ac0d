import type { OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { DangerZone } from '../actions/danger.tsx'
import { useDeletion } from '../actions/deletion.ts'
import { useDanger } from '../actions/use-action.ts'
import { read } from '../api.ts'
import { labelOf } from '../form/schema-form.tsx'
import { OrganizationName } from '../names/organization-name.tsx'
import { DayBars } from '../parts/day-bars.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/panel.tsx'
import { State } from '../parts/state.tsx'
import { lastDays } from '../parts/time.ts'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useClientRevocation } from './actions.ts'
import { roleText } from './client-roles.tsx'
import { ClientSecrets } from './client-secrets.tsx'
import { useClientSchema } from './field-schemas.ts'
import { deleteClient } from './requests.ts'
import { clientTexts } from './texts.ts'

/** Fields that the overview shows in words of its own, or elsewhere. */
const own = [
  'client_id',
  'client_name',
  'disabled',
  'first_party',
  'created_at',
  'created_by',
  'revision',
  'secrets',
  'metadata_document',
  'roles',
  'jwks',
  'organization',
]

/** The overview of a client: its tokens, its fields, its secrets, and the actions that end it. */
export function ClientOverview({ client }: { client: OAuthClient }) {
  const t = useTexts(clientTexts)
  const common = useTexts(commonTexts)
  const schema = useClientSchema('ClientToCreate')
  const may = useMay()
  const fields = Object.entries(client).filter(([name]) => !own.includes(name))
  return (
    <Stack gap="lg">
      {may('activity', 'read') && <Usage clientId={client.client_id} />}
      <Paper withBorder p="md">
        <Facts
          facts={[
            [common.state, <State key="state" disabled={client.disabled} />],
            [t.labels.created_by, t[client.created_by]],
            [common.created, <Moment key="created" at={client.created_at} />],
            [t.labels.first_party, client.first_party ? common.yes : common.no],
            ...fields.map(([name, value]) => [labelOf(schema, name), shown(value, common)] as const),
            ...(client.organization === undefined
              ? []
              : [
                  [
                    labelOf(schema, 'organization'),
                    <OrganizationName key="organization" id={client.organization} />,
                  ] as const,
                ]),
            ...(client.roles
              ? [[labelOf(schema, 'roles'), client.roles.map(roleText).join(', ')] as const]
              : []),
          ]}
        />
        {client.metadata_document && <Text c="dimmed">{t.metadataDocument}</Text>}
      </Paper>
      <ClientSecrets client={client} />
      {may('clients', 'write') && <Danger client={client} />}
    </Stack>
  )
}

function shown(value: unknown, { yes, no }: { yes: string; no: string }): string {
  if (typeof value === 'boolean') return value ? yes : no
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** How many days the bars of a client's tokens show. */
const shownDays = 30

function Usage({ clientId }: { clientId: string }) {
  const t = useTexts(clientTexts)
  const { data } = useQuery(
    read('/admin/api/clients/{client_id}/usage', {
      path: { client_id: clientId },
      query: { days: shownDays },
    }),
  )
  if (data === undefined) return null
  const used = data.items.some(({ issued, refused }) => issued + refused > 0)
  return (
    <Panel title={t.usage}>
      <Text size="sm" c="dimmed" mb="sm">
        {t.lastUsed}: <Moment at={data.last_used_at} />
      </Text>
      {used ? (
        <DayBars
          title={t.usage}
          series={[
            { name: t.issued, color: 'var(--mantine-primary-color-filled)' },
            { name: t.refused, color: 'var(--mantine-color-red-filled)' },
          ]}
          days={lastDays(shownDays, new Date()).map((date) => {
            const { issued = 0, refused = 0 } = data.items.find((day) => day.date === date) ?? {}
            return { date, values: [issued, refused] }
          })}
        />
      ) : (
        <Text>{t.unused}</Text>
      )}
    </Panel>
  )
}

function Danger({ client }: { client: OAuthClient }) {
  const t = useTexts(clientTexts)
  const revocation = useClientRevocation()
  const { client_id: id, client_name: name, metadata_document: document } = client
  const words = document ? { ...t, deleteText: t.documentDeleteText, deleteEnds: t.documentDeleteEnds } : t
  const deletion = useDeletion(name, '/clients', words, () => deleteClient(id))
  return (
    <DangerZone title={t.danger} actions={[useDanger(revocation, client, name, t.revokeText), deletion]} />
  )
}
