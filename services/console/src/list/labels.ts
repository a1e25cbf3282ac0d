import type { ItemOf, ListPath, QueryOf } from './definition.ts'

/** The names of the columns and filters of a list. */
export type FieldOf<Path extends ListPath> =
  | Extract<keyof ItemOf<Path>, string>
  | Exclude<Extract<keyof QueryOf<Path>, string>, 'cursor' | 'limit' | 'search' | 'sort'>

/** The labels of a list's columns and filters. A field that the API gets next does not compile until it has its label. */
export type Labels<Path extends ListPath, Other extends string = never> = Record<
  Exclude<FieldOf<Path>, Other | 'disabled' | 'created_at'>,
  string
>
