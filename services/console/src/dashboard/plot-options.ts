import type { RefObject } from 'react'
import type UPlot from 'uplot'
import type { Zoom } from './zoom.ts'

/** A line of a plot. */
export type Line = {
  name: string
  /** As CSS has it, also as a variable. */
  color: string
  /** The lengths of its dashes and gaps; absent for a line without gaps. */
  dash?: number[]
  /** null where the value is unknown. */
  values: readonly (number | null)[]
}

/** The state that a plot needs when it is drawn anew. */
type Latest = RefObject<{
  data: { times: readonly number[] }
  zoom: Zoom | undefined
  onZoom(zoom: Zoom | undefined): void
  onPoint(at: number | undefined): void
}>

/** Whole numbers, since the plots count things. */
const steps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
/** The shortest part of the time that can be shown, in seconds. */
const shortest = 120

/** How uPlot draws some lines on an element. */
export function optionsOf({
  element,
  lines,
  language,
  latest,
}: {
  element: HTMLElement
  lines: readonly Line[]
  language: string
  latest: Latest
}): UPlot.Options {
  const clock = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' })
  const number = new Intl.NumberFormat(language, { notation: 'compact' })
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: {
      y: false,
      sync: { key: 'dashboard' },
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          latest.current.onZoom(undefined)
          return null
        },
      },
    },
    scales: {
      x: { range: () => rangeOf(latest.current) },
      y: { range: (_plot, _least, most) => [0, Math.max(1, (most ?? 0) * 1.1)] },
    },
    axes: [
      {
        ...axisOf(element),
        size: 32,
        space: 64,
        values: (_plot, times) => times.map((time) => (isMidnight(time) ? day : clock).format(time * 1_000)),
      },
      {
        ...axisOf(element),
        size: (_plot, labels) => 20 + 7 * Math.max(0, ...(labels ?? []).map(({ length }) => length)),
        space: 32,
        incrs: steps,
        values: (_plot, counts) => counts.map((count) => number.format(count)),
      },
    ],
    series: [{}, ...lines.map((line) => seriesOf(element, line))],
    hooks: {
      setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? undefined)],
      setSelect: [(plot) => takeSelection(plot, latest.current.onZoom)],
    },
  }
}

/** Whether a day begins at a time in the reader's time zone. @param time in seconds since 1970 */
function isMidnight(time: number): boolean {
  const moment = new Date(time * 1_000)
  return moment.getHours() === 0 && moment.getMinutes() === 0
}

function rangeOf({ zoom, data: { times } }: Latest['current']): [number, number] {
  return zoom ? [zoom.min, zoom.max] : [times[0] ?? 0, times.at(-1) ?? 1]
}

function takeSelection(plot: UPlot, onZoom: (zoom: Zoom) => void): void {
  const { left, width } = plot.select
  if (width === 0) return
  const min = plot.posToVal(left, 'x')
  const max = plot.posToVal(left + width, 'x')
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  if (max - min >= shortest) onZoom({ min, max })
}

function axisOf(element: HTMLElement): UPlot.Axis {
  const line = { stroke: colorOf(element, 'var(--mantine-color-default-border)'), width: 1 }
  return {
    font: '12px system-ui, sans-serif',
    stroke: colorOf(element, 'var(--mantine-color-dimmed)'),
    grid: line,
    ticks: line,
  }
}

function seriesOf(element: HTMLElement, { name, color, dash }: Line): UPlot.Series {
  return {
    label: name,
    stroke: colorOf(element, color),
    width: 2,
    spanGaps: true,
    points: { show: false },
    ...(dash && { dash }),
  }
}

/** A color of CSS as a canvas takes it. */
function colorOf(element: HTMLElement, color: string): string {
  const probe = document.createElement('span')
  probe.style.color = color
  element.append(probe)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}
