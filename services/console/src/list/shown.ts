import type { Column, ListDefinition, ListPath } from './definition.ts'

/** The query of the API that an address asks for. */
export function queryOf<Path extends ListPath>(
  { params, filters = [], searchHint }: ListDefinition<Path>,
  said: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = [...(searchHint ? ['search'] : []), 'sort', 'cursor', ...filters.map(({ name }) => name)]
  const query: Record<string, string> = {}
  for (const name of names) {
    const value = said[name]
    if (!value) continue
    const moment = filters.some((filter) => filter.name === name && filter.kind === 'moment')
    query[name] = moment ? new Date(value).toISOString() : value
  }
  return { ...query, ...(params?.query as Record<string, string>) }
}

/** The columns to show. @param names those that the address says, separated by commas; by default those that are not hidden */
export function shownColumns<Item>(columns: readonly Column<Item>[], names: string | undefined) {
  if (!names) return columns.filter(({ hidden }) => !hidden)
  const wanted = names.split(',')
  return columns.filter(({ name }) => wanted.includes(name))
}
