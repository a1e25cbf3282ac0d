import { stripVTControlCharacters } from 'node:util'
import { stringify } from 'yaml'

/** The output of a command: JSON for scripts, text for people; and if not all of it could be done, what failed, for people. */
export type Output = { json: unknown; text: string; failure?: string }

/** The ways in which results are shown. */
export const formats = ['table', 'json', 'yaml'] as const

/** A way in which results are shown. */
export type Format = (typeof formats)[number]

/** An output as it is shown. */
export function formatted({ json, text }: Output, format: Format): string {
  if (format === 'table') return text
  return format === 'json' ? JSON.stringify(json, undefined, 2) : stringify(json).trimEnd()
}

/** The columns of a table by heading: each is a property of the row, or a function of it. */
export type Columns<Row> = Record<string, keyof Row | ((row: Row) => unknown)>

/** Formats rows as a table, or gives the text for an empty one. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>, nothing: string): string {
  if (rows.length === 0) return nothing
  const headings = Object.keys(columns).map((heading) => heading.toUpperCase())
  const cells = Object.values(columns)
  const shown = rows.map((row) =>
    cells.map((cell) => show(typeof cell === 'function' ? cell(row) : row[cell])),
  )
  const lines = [headings, ...shown]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats an object with a line for each part. */
export function fields(parts: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(parts).map((name) => name.length))
  return Object.entries(parts)
    .map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`.trimEnd())
    .join('\n')
}

/** Formats a value on one line. Names come from outside, so terminal control sequences are removed. */
function show(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-'
  if (Array.isArray(value) && value.length === 0) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = Array.isArray(value) ? value.map(textOf).join(' ') : textOf(value)
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}|\p{Cf}/gu, '')
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
