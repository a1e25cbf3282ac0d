import lists from 'virtual:lists'
import type { ReactNode } from 'react'
import { Moment } from '../parts/moment.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import type { Column, Filter, ItemOf, ListDefinition, ListPath } from './definition.ts'
import type { ValueKind } from './described-list.ts'
import type { FieldOf } from './labels.ts'

/** The parts of a list that follow from the document, and those that do not. */
type Described<Path extends ListPath> = {
  labels: Readonly<Record<string, string>>
  /** Columns that are shown in another way than their schema says. */
  columns?: { readonly [Name in FieldOf<Path>]?: Partial<Column<ItemOf<Path>>> }
  /** Filters that people choose from other words than those of the API. */
  filters?: { readonly [Name in FieldOf<Path>]?: Partial<Filter> }
}

/** The columns, the filters and the order of a list of the API that describes itself. */
export function useDescribed<Path extends ListPath>(
  path: Path,
  { labels, columns = {}, filters = {} }: Described<Path>,
): Pick<ListDefinition<Path>, 'path' | 'columns' | 'filters' | 'defaultSort'> {
  const t = useTexts(commonTexts)
  const list = lists[path]
  if (list === undefined) throw new Error(`${path} does not describe itself`)
  const labelled: Readonly<Record<string, string>> = { disabled: t.state, created_at: t.created, ...labels }
  const words: Readonly<Record<string, string>> = { true: t.yes, false: t.no }
  const known: Readonly<Record<string, Partial<Column<ItemOf<Path>>> | undefined>> = columns
  const chosen: Readonly<Record<string, Partial<Filter> | undefined>> = filters
  return {
    path,
    defaultSort: list.sorts[0],
    columns: list.columns.map(({ name, hidden, kind }) => ({
      name,
      label: labelled[name] ?? name,
      hidden,
      ...(list.sorts.includes(name) && { sort: name }),
      cell: (item) => <Cell kind={kind} value={(item as Record<string, unknown>)[name]} />,
      ...known[name],
    })),
    filters: list.filters.map(
      ({ name, values }) =>
        ({
          name,
          label: labelled[name] ?? name,
          ...(values
            ? { kind: 'choice', choices: values.map((value) => ({ value, label: words[value] ?? value })) }
            : { kind: 'text' }),
          ...chosen[name],
        }) as Filter,
    ),
  }
}

/** A value, as its schema says. */
function Cell({ kind, value }: { kind: ValueKind; value: unknown }): ReactNode {
  const t = useTexts(commonTexts)
  if (kind === 'boolean') return value ? t.yes : t.no
  if (value === undefined || value === '') return '–'
  if (kind === 'moment') return <Moment at={String(value)} />
  return Array.isArray(value) ? value.join(' ') : String(value)
}
