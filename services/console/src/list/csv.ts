import type { Column } from './definition.ts'

/** Writes items as CSV (RFC 4180). */
export function csvOf<Item>(items: readonly Item[], columns: readonly Column<Item>[]): string {
  const rows = items.map((item) =>
    columns.map(({ name, text }) => (text ? text(item) : (item as Record<string, unknown>)[name])),
  )
  return [columns.map(({ label }) => label), ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')
}

function csvCell(value: unknown): string {
  const text =
    value === undefined || value === null
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
  // A spreadsheet would take it for a formula.
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
