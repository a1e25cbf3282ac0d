import 'uplot/dist/uPlot.min.css'
import { Paper, Title, useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import UPlot from 'uplot'
import { useLanguage, useTexts } from '../texts/language.ts'
import classes from './plot.module.css'
import { type Line, optionsOf } from './plot-options.ts'
import { dashboardTexts } from './texts.ts'
import { sumOf } from './usage.ts'
import type { Zoom } from './zoom.ts'

/** In seconds. */
const day = 86_400

/** The content of a plot. */
export type PlotData = {
  title: string
  /** In seconds since 1970. */
  times: readonly number[]
  lines: readonly Line[]
  /** Whether the values are a state, which cannot be added up. */
  state?: boolean
}

/**
 * Lines of numbers over time.
 * @param zoom the part of the time to show; undefined for all of it
 * @param onZoom told the part over which somebody drags
 */
export function Plot({
  data,
  zoom,
  onZoom,
}: {
  data: PlotData
  zoom: Zoom | undefined
  onZoom(zoom: Zoom | undefined): void
}) {
  const [pointed, setPointed] = useState<number>()
  const place = useDrawing({ data, zoom, onZoom, onPoint: setPointed })
  return (
    <Paper withBorder p="md" component="figure" className={classes.figure}>
      <Title order={3} size="h6" mb={4}>
        {data.title}
      </Title>
      {/* Time goes from the left to the right in every language. */}
      <div ref={place} className={classes.canvas} dir="ltr" aria-hidden="true" />
      <Legend data={data} zoom={zoom} pointed={pointed} />
      <Totals data={data} zoom={zoom} />
    </Paper>
  )
}

/** Draws on the element that gets the reference that this returns. */
function useDrawing({
  data,
  zoom,
  onZoom,
  onPoint,
}: {
  data: PlotData
  zoom: Zoom | undefined
  onZoom(zoom: Zoom | undefined): void
  onPoint(at: number | undefined): void
}) {
  const { language } = useLanguage()
  const scheme = useComputedColorScheme()
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(undefined)
  const latest = useRef({ data, zoom, onZoom, onPoint })
  latest.current = { data, zoom, onZoom, onPoint }
  const names = data.lines.map(({ name }) => name).join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: other colors, lines and languages need another plot.
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const { times, lines } = latest.current.data
    const options = optionsOf({ element, lines, language, latest })
    const drawn = new UPlot(options, valuesOf(times, lines), element)
    plot.current = drawn
    const sizes = new ResizeObserver(() => drawn.setSize(sizeOf(element)))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      drawn.destroy()
    }
  }, [names, language, scheme])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a plot takes the part of the time when it gets its values.
  useEffect(() => plot.current?.setData(valuesOf(data.times, data.lines)), [data, zoom])
  return place
}

function sizeOf({ clientWidth: width, clientHeight: height }: HTMLElement) {
  return { width, height }
}

function valuesOf(times: readonly number[], lines: readonly Line[]): UPlot.AlignedData {
  return [times, ...lines.map(({ values }) => values)] as unknown as UPlot.AlignedData
}

type Summed = { data: PlotData; zoom: Zoom | undefined }

function Legend({ data, zoom, pointed }: Summed & { pointed: number | undefined }) {
  const { times, lines, state } = data
  const t = useTexts(dashboardTexts)
  const { language } = useLanguage()
  const time = pointed === undefined ? undefined : times[pointed]
  const longest = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const clock = new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    ...(longest > day && { day: 'numeric', month: 'short' }),
  })
  const shown = ({ values }: Line) =>
    time === undefined ? summaryOf(values, { data, zoom }) : values[pointed ?? 0]
  return (
    <figcaption className={classes.legend} aria-hidden="true">
      <span>{time === undefined ? (state ? t.now : t.total) : clock.format(time * 1_000)}</span>
      {lines.map((line) => (
        <span key={line.name}>
          <svg className={classes.mark} viewBox="0 0 22 3" role="presentation">
            <path d="M0 1.5H22" stroke={line.color} strokeWidth="3" strokeDasharray={line.dash?.join(' ')} />
          </svg>{' '}
          {line.name} <span className={classes.value}>{shown(line)?.toLocaleString(language) ?? '–'}</span>
        </span>
      ))}
    </figcaption>
  )
}

/** The plot for screen readers. */
function Totals({ data, zoom }: Summed) {
  const { title, lines, state } = data
  const t = useTexts(dashboardTexts)
  const { language } = useLanguage()
  return (
    <div className="unseen">
      <table>
        <caption>{`${title}: ${state ? t.now : t.total}`}</caption>
        <tbody>
          {lines.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{summaryOf(values, { data, zoom })?.toLocaleString(language) ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The sum of what a plot shows of a line, or its last state. */
function summaryOf(values: Line['values'], { data: { times, state }, zoom }: Summed): number | undefined {
  const shown = values.filter((_, at) => {
    const time = times[at] ?? 0
    return !zoom || (time >= zoom.min && time <= zoom.max)
  })
  const known = shown.filter((value) => value !== null)
  return state ? known.at(-1) : sumOf(known)
}
