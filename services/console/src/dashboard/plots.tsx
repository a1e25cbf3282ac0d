import { Button, Group, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import { useTexts } from '../texts/language.ts'
import classes from './dashboard.module.css'
import { Plot, type PlotData } from './plot.tsx'
import type { Line } from './plot-options.ts'
import { refusalTexts } from './refusal-texts.ts'
import { dashboardTexts } from './texts.ts'
import { type Period, type Range, stepOf } from './usage.ts'
import type { Zoom } from './zoom.ts'

const good = 'light-dark(var(--mantine-color-blue-7), var(--mantine-color-blue-4))'
const bad = 'light-dark(var(--mantine-color-red-8), var(--mantine-color-red-5))'
/** Lines differ in their dashes too, for people who do not tell the colors apart. */
const styles: readonly Pick<Line, 'color' | 'dash'>[] = [
  { color: good },
  { color: 'light-dark(var(--mantine-color-orange-8), var(--mantine-color-orange-4))', dash: [8, 4] },
  { color: 'light-dark(var(--mantine-color-teal-8), var(--mantine-color-teal-4))', dash: [2, 3] },
  { color: 'light-dark(var(--mantine-color-grape-8), var(--mantine-color-grape-4))', dash: [10, 3, 2, 3] },
  { color: 'light-dark(var(--mantine-color-pink-8), var(--mantine-color-pink-4))', dash: [5, 5] },
  { color: 'light-dark(var(--mantine-color-gray-7), var(--mantine-color-gray-4))', dash: [1, 2] },
]

/** The plots of a time range. A part of it that somebody chooses on one of them shows on all. */
export function Plots({
  range,
  periods,
  zoom,
  onZoom,
}: {
  range: Range
  periods: readonly Period[]
  zoom: Zoom | undefined
  onZoom(zoom: Zoom | undefined): void
}) {
  const t = useTexts(dashboardTexts)
  const plots = usePlots(range, periods)
  return (
    <section aria-labelledby="plots">
      <Group justify="space-between" mb="sm" mih={36}>
        <Title order={2} size="h4" id="plots">
          {t.plots}
        </Title>
        {zoom ? (
          <Button variant="default" size="xs" onClick={() => onZoom(undefined)}>
            {t.resetZoom}
          </Button>
        ) : (
          <Text size="xs" c="dimmed">
            {t.zoomHint}
          </Text>
        )}
      </Group>
      <div className={classes.plots}>
        {plots.map((data) => (
          <Plot key={data.title} data={data} zoom={zoom} onZoom={onZoom} />
        ))}
      </div>
    </section>
  )
}

function usePlots(range: Range, periods: readonly Period[]): PlotData[] {
  const t = useTexts(dashboardTexts)
  const reasons = useTexts(refusalTexts)
  return useMemo(() => {
    const { issuedPlot, refusedPlot, loginsPlot } = t.plotsBy[stepOf(range)]
    const times = periods.map(({ time }) => time / 1_000)
    const active = periods.map(({ active_tokens: count }) => count ?? null)
    const refused = linesOf(
      periods.map((one) => one.refused),
      t.refused,
    )
    return [
      {
        title: issuedPlot,
        times,
        lines: linesOf(
          periods.map((one) => one.issued),
          t.tokens,
        ),
      },
      {
        title: refusedPlot,
        times,
        lines: refused.map((line) => ({ ...line, name: reasons[line.name] ?? line.name })),
      },
      {
        title: loginsPlot,
        times,
        lines: [
          { name: t.succeeded, color: good, values: periods.map(({ logins }) => logins) },
          { name: t.failed, color: bad, dash: [8, 4], values: periods.map((one) => one.failed_logins) },
        ],
      },
      { title: t.activePlot, times, lines: [{ name: t.tokens, color: good, values: active }], state: true },
    ]
  }, [range, periods, t, reasons])
}

/** A line for each name in the counts, or one line when there are none. */
function linesOf(counts: readonly Readonly<Record<string, number>>[], otherwise: string): Line[] {
  const names = [...new Set(counts.flatMap(Object.keys))].sort()
  return (names.length > 0 ? names : [otherwise]).map((name, at) => ({
    name,
    ...(styles[at % styles.length] ?? { color: good }),
    values: counts.map((count) => count[name] ?? 0),
  }))
}
