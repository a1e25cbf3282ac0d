import { Alert, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { read } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { Page } from '../parts/page.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useRefetchInterval } from '../shell/session-state.ts'
import { useTexts } from '../texts/language.ts'
import { Attention } from './attention.tsx'
import { EventBackends } from './event-backends.tsx'
import { Numbers } from './numbers.tsx'
import { Plots } from './plots.tsx'
import { Processes } from './processes.tsx'
import { Refusals } from './refusals.tsx'
import { dashboardTexts } from './texts.ts'
import { TopClients } from './top-clients.tsx'
import { ranges, renewal, useRange, useUsage } from './usage.ts'
import { useZoom, within } from './zoom.ts'

/** The dashboard: the activity of this moment, and the problems that need attention. */
export function Dashboard() {
  const t = useTexts(dashboardTexts)
  const may = useMay()
  const interval = useRefetchInterval(renewal)
  const { range, choose } = useRange()
  const maySeeUsage = may('activity', 'read')
  const usage = useUsage(range, maySeeUsage)
  const { zoom, choose: chooseZoom } = useZoom(usage.data?.periods ?? [])
  const shown = usage.data && within(usage.data.periods, zoom)
  const status = useQuery({
    ...read('/admin/api/status'),
    enabled: may('system', 'read'),
    refetchInterval: interval,
  })
  const failed = [usage, status].find(({ isError }) => isError)
  const known = usage.data !== undefined || status.data !== undefined
  return (
    <Page
      title={t.dashboard}
      about={t.about}
      actions={
        maySeeUsage && (
          <SegmentedControl
            size="xs"
            aria-label={t.range}
            value={range}
            onChange={choose}
            data={ranges.map((value) => ({ value, label: t.ranges[value] }))}
          />
        )
      }
    >
      {failed &&
        (known ? (
          <Alert color="yellow" title={t.renewFailed} role="status" />
        ) : (
          <Failure error={failed.error} retry={failed.refetch} />
        ))}
      <Attention status={status.data} />
      {maySeeUsage && <Numbers periods={shown} until={zoom && zoom.max * 1_000} />}
      {usage.data && shown && (
        <>
          <Plots key={usage.data.range} {...usage.data} zoom={zoom} onZoom={chooseZoom} />
          <Refusals periods={shown} />
          <TopClients range={range} />
        </>
      )}
      {status.data && <Processes status={status.data} />}
      <EventBackends />
    </Page>
  )
}
