/** How the console shows a value: as its schema says. */
export type ValueKind = 'text' | 'moment' | 'boolean' | 'texts'

/** A list of the API, as its `x-gatehouse-list` and its schemas describe it. */
export type DescribedList = {
  /** The orders, the default first. */
  sorts: readonly string[]
  columns: readonly { name: string; hidden: boolean; kind: ValueKind }[]
  /** With the values to choose from; undefined for a text. */
  filters: readonly { name: string; values: readonly string[] | undefined }[]
}
