import type { EventBackend } from '@gatehouse/admin-api/generated/openapi'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/panel.tsx'
import { SmallTable } from '../parts/table/small-table.tsx'
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
    <Panel title={t.eventBackends} className={classes.place} id="event-backends">
      <SmallTable
        label={t.eventBackends}
        rows={backends}
        idOf={({ name }) => name}
        columns={[
          [t.backend, ({ name }) => name],
          [common.state, (backend) => <BackendState backend={backend} />],
          [t.waiting, ({ waiting }) => waiting.toLocaleString(language)],
          [t.waitingSince, ({ waiting_since: since }) => (since ? <Moment at={since} /> : '–')],
        ]}
      />
    </Panel>
  )
}

function BackendState({ backend: { healthy, failing_since: failing } }: { backend: EventBackend }) {
  const t = useTexts(dashboardTexts)
  return (
    <>
      <Condition good={healthy} words={healthy ? t.healthy : t.failing} />
      {failing && (
        <Text size="xs" c="dimmed">
          {t.since} <Moment at={failing} />
        </Text>
      )}
    </>
  )
}
