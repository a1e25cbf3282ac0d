import { Paper, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { Moment } from '../parts/moment.tsx'
import { Scrollable } from '../parts/scrollable.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useRefetchInterval } from '../shell/session-state.ts'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/language.ts'
import { Condition } from './condition.tsx'
import classes from './dashboard.module.css'
import { dashboardTexts } from './texts.ts'
import { renewal } from './usage.ts'

/** The backends that events go to; undefined while they are not known, or may not be read. */
export function useEventBackends() {
  const enabled = useMay()('system', 'read')
  const interval = useRefetchInterval(renewal)
  const { data } = useQuery({ ...read('/admin/api/event-backends'), refetchInterval: interval, enabled })
  return data?.items
}

/** The backends that events go to, and what waits for them. Nothing is shown while eventing is off. */
export function EventBackends() {
  const t = useTexts(dashboardTexts)
  const common = useTexts(commonTexts)
  const { language } = useLanguage()
  const backends = useEventBackends() ?? []
  if (backends.length === 0) return null
  return (
    <Paper withBorder p="md" className={classes.place} id="event-backends">
      <Title order={2} size="h4" mb="xs">
        {t.eventBackends}
      </Title>
      <Scrollable label={t.eventBackends}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {[t.backend, common.state, t.waiting, t.waitingSince].map((heading) => (
                <Table.Th key={heading}>{heading}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {backends.map(({ name, healthy, failing_since: failing, waiting, waiting_since: since }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>
                  <Condition good={healthy} words={healthy ? t.healthy : t.failing} />
                  {failing && (
                    <Text size="xs" c="dimmed">
                      {t.since} <Moment at={failing} />
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>{waiting.toLocaleString(language)}</Table.Td>
                <Table.Td>{since ? <Moment at={since} /> : '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scrollable>
    </Paper>
  )
}
