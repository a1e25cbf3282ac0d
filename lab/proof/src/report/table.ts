import { tmpdir } from 'node:os'
import { rootDirectory } from '../../../bench/src/repository.ts'

/** A table in Markdown. @param rows the first one is the head */
export function table(rows: string[][]): string[] {
  const [head = [], ...rest] = rows.map((row) => `| ${row.map(cell).join(' | ')} |`)
  return [head as string, `|${(rows[0] ?? []).map(() => '---').join('|')}|`, ...rest]
}

/** A text for a cell or a line of Markdown. */
export function cell(text: string): string {
  // Stack traces contain this machine's directories, which do not belong on a page.
  const placeless = text.replaceAll(`${rootDirectory}/`, '').replaceAll(`${tmpdir()}/`, '')
  return placeless.replaceAll('|', '\\|').replace(/\s+/g, ' ')
}
