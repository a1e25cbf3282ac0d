import type { paths } from '@gatehouse/admin-api/generated/openapi'
import type { ReactNode } from 'react'
import type { Action } from '../actions/action.ts'
import type { Answer, GetPath } from '../api.ts'

/** The paths of the API that answer with a page of items. */
export type ListPath = {
  [Path in GetPath]: Answer<Path> extends { items: readonly unknown[]; next_cursor?: string } ? Path : never
}[GetPath]

/** An item of a list of the API. */
export type ItemOf<Path extends ListPath> =
  Answer<Path> extends { items: readonly (infer Item)[] } ? Item : never

/** The parameters in the query of a list of the API. */
export type QueryOf<Path extends ListPath> = NonNullable<paths[Path]['get']['parameters']['query']>

/** A column of a list. */
export type Column<Item> = {
  name: string
  label: string
  cell(item: Item): ReactNode
  /** The value of the column in an export; by default the item's field with the column's name. */
  text?(item: Item): unknown
  /** The field by which the API sorts the list for this column. */
  sort?: string
  /** Whether it is hidden until somebody chooses it. */
  hidden?: boolean
}

/** A filter of a list. Its name is the API's parameter. */
export type Filter = { name: string; label: string } & (
  | { kind: 'text' | 'moment' }
  | { kind: 'choice'; choices: readonly { value: string; label: string }[] }
  /** Chosen in the list's finder. `shown` is what people see of a value. */
  | { kind: 'found'; shown(value: string): ReactNode }
)

/** The content and the functions of a list. */
export type ListDefinition<Path extends ListPath> = {
  path: Path
  /** The parameters of the path, and filters that are always set. */
  params?: { path?: object; query?: object }
  /** The id of an item. */
  id(item: ItemOf<Path>): string
  /** The name of an item, for people. */
  nameOf(item: ItemOf<Path>): string
  columns: readonly Column<ItemOf<Path>>[]
  filters?: readonly Filter[]
  /** The fields that the search box looks through, in words; absent when the list cannot be searched. */
  searchHint?: string
  /** Finds values of filters of the kind `found`, in place of a search box. */
  finder?: ReactNode
  /** The order that the list has by default, such as `-created_at`. */
  defaultSort?: string
  /** The actions on the selected rows. */
  bulk?: readonly Action<ItemOf<Path>>[]
  /** The content that is shown when there is nothing at all. */
  empty: ReactNode
  /** Whether people may switch to a view that renews itself. */
  live?: boolean
  /** The name of exported files, without an extension; absent when the list cannot be exported. */
  exportName?: string
}
