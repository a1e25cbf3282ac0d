import { Text } from '@mantine/core'
import { ClientName } from '../names/client-name.tsx'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/panel.tsx'
import { SmallTable } from '../parts/table/small-table.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { dashboardTexts } from './texts.ts'
import { type Range, useTopClients } from './usage.ts'

/** The clients that got the most tokens on the days of a time range. */
export function TopClients({ range }: { range: Range }) {
  const t = useTexts(dashboardTexts)
  const { language } = useLanguage()
  const { days, clients } = useTopClients(range)
  return (
    <Panel title={t.topClients}>
      <Text size="sm" c="dimmed" mb="xs">
        {days === 1 ? t.today : t.lastDays(days.toLocaleString(language))}
      </Text>
      {clients?.length === 0 && <Text>{t.noTopClients}</Text>}
      {clients !== undefined && clients.length > 0 && (
        <SmallTable
          label={t.topClients}
          rows={clients}
          idOf={({ client_id: id }) => id}
          columns={[
            [t.client, ({ client_id: id }) => <ClientName id={id} />],
            [t.issued, ({ issued }) => issued.toLocaleString(language)],
            [t.refused, ({ refused }) => refused.toLocaleString(language)],
            [t.lastUsed, ({ last_used_at: at }) => <Moment at={at} />],
          ]}
        />
      )}
    </Panel>
  )
}
