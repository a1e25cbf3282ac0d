import type { Api } from '../api.ts'

/** The fields of a declared object, or of one that exists, by the API's names. */
export type Fields = Readonly<Record<string, unknown>>

/** How a field of a declaration becomes one of the API. */
export type FieldRule = {
  /** The value of an object whose declaration does not have the field; absent if the object then keeps its own. */
  absent?: (declared: Fields) => unknown
  /** The value that removes the field; absent if it cannot be removed. */
  removed?: unknown
  /** When it can be set: by default when an object is created and when it is changed. */
  only?: 'when created' | 'when changed'
  /** Whether values with the same entries, or the same words, in another order are the same. */
  unordered?: boolean
  /** The values that an entry of the list has where its declaration does not say. */
  entry?: Fields
  /** Whether it names objects that other declarations make, so that it is set once they exist. */
  last?: boolean
  /** Whether it is never shown or compared. */
  secret?: boolean
  /** Fields with whose change a secret must be sent again. */
  sentWith?: readonly string[]
}

/** A kind of objects that files declare. */
export type Kind = {
  /** For people. */
  name: string
  /** The key of the list in a file. */
  section: string
  /** The field that identifies an object. */
  key: string
  /** Names an object among all, for a kind whose key is not enough. */
  nameOf?(fields: Fields): string
  /** Whether --prune leaves those that no file declares: what is in them is not in files. */
  kept?: true
  /** The fields besides the key. */
  fields: Readonly<Record<string, FieldRule>>
  /** Finds one object. @param declared its declaration, for a kind whose key is not enough */
  find(api: Api, key: string, declared: Fields): Promise<Fields | undefined>
  /** Lists the objects that administrators created. */
  list(api: Api): Promise<Fields[]>
  /** @returns the secret of a new client, unless its file has one */
  create(api: Api, body: Fields): Promise<{ client_secret?: string | undefined }>
  update(api: Api, existing: Fields, body: Fields): Promise<unknown>
  delete(api: Api, existing: Fields): Promise<unknown>
}

/** The name of a declared object, or of one that exists, among all of its kind. */
export function nameOf(kind: Kind, fields: Fields): string {
  return kind.nameOf?.(fields) ?? String(fields[kind.key])
}
