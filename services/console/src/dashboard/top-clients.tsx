import { Paper, Table, Text, Title } from '@mantine/core'
import { ClientName } from '../names/client-name.tsx'
import { Moment } from '../parts/moment.tsx'
import { Scrollable } from '../parts/scrollable.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { dashboardTexts } from './texts.ts'
import { type Range, useTopClients } from './usage.ts'

/** The clients that got the most tokens on the days of a time range. */
export function TopClients({ range }: { range: Range }) {
  const t = useTexts(dashboardTexts)
  const { language } = useLanguage()
  const { days, clients } = useTopClients(range)
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb={4}>
        {t.topClients}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {days === 1 ? t.today : t.lastDays(days.toLocaleString(language))}
      </Text>
      {clients?.length === 0 && <Text>{t.noTopClients}</Text>}
      {clients !== undefined && clients.length > 0 && (
        <Scrollable label={t.topClients}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                {[t.client, t.issued, t.refused, t.lastUsed].map((heading) => (
                  <Table.Th key={heading}>{heading}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {clients.map(({ client_id: id, issued, refused, last_used_at: lastUsed }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    <ClientName id={id} />
                  </Table.Td>
                  <Table.Td>{issued.toLocaleString(language)}</Table.Td>
                  <Table.Td>{refused.toLocaleString(language)}</Table.Td>
                  <Table.Td>
                    <Moment at={lastUsed} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Scrollable>
      )}
    </Paper>
  )
}
