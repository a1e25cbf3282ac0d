import type { Static, TOptional, TSchema } from '@gatehouse/proto/typebox'

/** A filter of a list. */
export type ListFilter = {
  /** Checks a value: a boolean or a text. Its description is a sentence that says which items are left. */
  schema: TSchema
  /** The option of the command line, such as `role <role>`; by default made from the name and the schema. */
  option?: string
  /** Whether the console does not offer it. */
  hidden?: true
}

/** A column of a list. Its name is the item's field in the API. */
export type ListColumn = {
  /** Whether the console hides it until somebody chooses it. */
  hidden?: true
  /**
   * The schema of a column that the message of the item has no field for: it travels in the message's `columns`, and is a field of the
   * item in the API by this entry alone. The value is that of the row in storage whose name is the same in camel case.
   */
  carried?: TSchema
}

/** Something of which administrators have a list: one definition for its service, the API, the command line and the console. */
export type Administered = {
  /** Words for people. */
  words: {
    /** More than one of it. */
    many: string
    /** The order that the list has by default. */
    order: string
    /** The texts that a search looks through, as a sentence. */
    search: string
  }
  /** Its list in the administrators' API, without the beginning that all have. */
  path: `/${string}`
  /** The orders of the list, the default first; `-` before a field sorts in descending order. */
  sorts: readonly [string, ...string[]]
  filters: Readonly<Record<string, ListFilter>>
  /** In the order in which the console shows them. */
  columns: Readonly<Record<string, ListColumn>>
  /** The columns of the command line's table, by heading. */
  table: Readonly<Record<string, string>>
}

/** Defines something that administrators have a list of. */
export function administered<const Definition extends Administered>(definition: Definition): Definition {
  return definition
}

/** The values of the filters of a list: those that are set. */
export type FilterValues<Definition extends Administered> = {
  [Name in keyof Definition['filters']]?: Static<Definition['filters'][Name]['schema']> | undefined
}

/** The name of an order of a list. */
export type SortOf<Definition extends Administered> = Definition['sorts'][number]

/** The schemas of the columns that are carried, as fields of an item. */
export type CarriedFields<Definition extends Administered> = {
  [Name in keyof Definition['columns'] as Definition['columns'][Name] extends { carried: TSchema }
    ? Name
    : never]: Definition['columns'][Name] extends { carried: infer Schema extends TSchema }
    ? TOptional<Schema>
    : never
}

/** The columns of a list that are carried, with their schemas. */
export function carriedColumns({ columns }: Pick<Administered, 'columns'>): [string, TSchema][] {
  return Object.entries(columns).flatMap(([name, { carried }]): [string, TSchema][] =>
    carried ? [[name, carried]] : [],
  )
}

/** A name of the API as code and messages write it: `first_party` as `firstParty`. */
export function inCamelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
