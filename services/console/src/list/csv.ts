import type { Column } from './definition.ts'

/** Writes items as CSV (RFC 4180). */
export function csvOf<Item>(items: readonly Item[], columns: readonly Column<Item>[]): string {
  const rows = items.map((item) =>
    columns.map(({ name, text }) => (text ? text(item) : (item as Record<string, unknown>)[name])),
  )
  return [columns.map(({ label }) => label), ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')
}

/** Where a cell, or what another separator makes a cell, would begin a formula: also in full-width signs, behind white space or quotes. */
const formula = /(?<=^|[,;\t\r\n|])(?=[\s\p{Z}\p{C}"']*[=+\-@＝＋－＠﹢﹣﹦﹫−])/gu

/** A cell that is no formula, whichever of comma, semicolon and tab the reader takes for the separator. */
function csvCell(value: unknown): string {
  const text =
    value === undefined || value === null
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
  const plain = text.replaceAll(formula, "'").replace(/^[\t\r\n]/, "'$&")
  // Quoted, so that a reader with another separator keeps it together.
  return /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
