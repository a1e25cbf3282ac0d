import type { Column, ListDefinition, ListPath } from './definition.ts'

/** The query of the API that an address asks for. */
export function queryOf<Path extends ListPath>(
  { params, filters = [], searchHint }: ListDefinition<Path>,
  searchParams: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = [...(searchHint ? ['search'] : []), 'sort', 'cursor', ...filters.map(({ name }) => name)]
  const query: Record<string, string> = {}
  for (const name of names) {
    const value = searchParams[name]
    if (!value) continue
    const moment = filters.some((filter) => filter.name === name && filter.kind === 'moment')
    if (!moment) query[name] = value
    // An address may say anything.
    else if (!Number.isNaN(Date.parse(value))) query[name] = new Date(value).toISOString()
  }
  return { ...query, ...(params?.query as Record<string, string>) }
}

/** The columns to show. @param names those that the address says, separated by commas; by default those that are not hidden */
export function shownColumns<Item>(
  columns: readonly Column<Item>[],
  names: string | undefined,
): readonly Column<Item>[] {
  if (!names) return columns.filter(({ hidden }) => !hidden)
  const wanted = names.split(',')
  const chosen = columns.filter(({ name }) => wanted.includes(name))
  return chosen.length > 0 ? chosen : shownColumns(columns, undefined)
}

/** Whether a list renews itself: on its first page alone. */
export function isLive<Path extends ListPath>(
  { live }: ListDefinition<Path>,
  searchParams: Readonly<Record<string, string>>,
): boolean {
  return live === true && searchParams.live === 'true' && !searchParams.cursor
}
