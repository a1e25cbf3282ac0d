import { stripVTControlCharacters } from 'node:util'

/** What a command has to show: for scripts as JSON, for people as text. */
export type Output = { json: unknown; text: string }

/** What is shown of each row, by the heading: a property, or what is made of the row. */
export type Columns<Row> = Record<string, keyof Row | ((row: Row) => unknown)>

/** A table for people, with a line for nothing. */
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

/** One thing for people, a line for each of its parts. */
export function fields(parts: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(parts).map((name) => name.length))
  return Object.entries(parts)
    .map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`.trimEnd())
    .join('\n')
}

/** A value on one line. Names come from outside: what steers terminals is taken out. */
function show(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = Array.isArray(value) ? value.join(' ') : String(value)
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}|\p{Cf}/gu, '')
}
