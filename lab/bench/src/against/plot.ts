/** A bar of a plot. */
export type Bar = { label: string; value: number; ours: boolean }

const width = 720
const labelWidth = 190
const barHeight = 22
const gap = 8
const top = 34

/**
 * Draws bars as an SVG picture that can be read on light and dark pages.
 * @param title the name of the measured value, with its unit
 */
export function plotBars(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value))
  const room = width - labelWidth - 80
  const height = top + bars.length * (barHeight + gap)
  const rows = bars.map(({ label, value, ours }, index) => {
    const y = top + index * (barHeight + gap)
    const length = Math.max(2, (value / most) * room)
    const middle = y + barHeight / 2 + 4.5
    return `<text x="${labelWidth - 10}" y="${middle}" text-anchor="end">${escaped(label)}</text>
  <rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2" class="${ours ? 'ours' : 'other'}"/>
  <text x="${(labelWidth + length + 8).toFixed(1)}" y="${middle}" class="value">${thousands(value)}</text>`
  })
  const description = bars.map(({ label, value }) => `${label} ${thousands(value)}`).join(', ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(`${title}: ${description}`)}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #333 }
    .title { font-weight: 600; font-size: 14px }
    .value { font-variant-numeric: tabular-nums }
    .ours { fill: #1f6feb }
    .other { fill: #8b949e }
    @media (prefers-color-scheme: dark) { text { fill: #d6dae0 } .ours { fill: #4c93ff } }
  </style>
  <text x="0" y="16" class="title">${escaped(title)}</text>
  ${rows.join('\n  ')}
</svg>
`
}

/** A number for people: 12,345; below ten with one digit after the point. */
export function thousands(value: number): string {
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
