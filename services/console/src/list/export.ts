import { readOnce } from '../api.ts'
import type { ItemOf, ListPath } from './definition.ts'

/** The largest number of rows of an export. */
export const mostRows = 10_000
/** The most that the API gives at once. */
const pageSize = 200

/** Reads all items of a list, up to the largest number of an export. @returns the items, and whether there are more */
export async function readAll<Path extends ListPath>(
  path: Path,
  params: { path?: object; query?: object },
): Promise<{ items: ItemOf<Path>[]; cut: boolean }> {
  const items: ItemOf<Path>[] = []
  let cursor: string | undefined
  do {
    const query = { ...params.query, limit: pageSize, ...(cursor && { cursor }) }
    const page = (await readOnce(path, { ...params, query })) as {
      items: ItemOf<Path>[]
      next_cursor?: string
    }
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor && items.length < mostRows)
  return { items, cut: cursor !== undefined }
}

/** Lets the browser save a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
