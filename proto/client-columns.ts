import {
  type ClientField,
  type ClientFieldName,
  clientFieldEntries,
  type clientFields,
} from './client-metadata.ts'

/** A role that a client has: the identifier of a resource server, and the name of one of its roles. */
export type ClientRole = { readonly resource: string; readonly role: string }

/** The public keys of a client (RFC 7517 section 5). */
export type KeySet = { readonly keys: readonly Readonly<Record<string, string | readonly string[]>>[] }

type ValueOf<Field extends ClientField> = Field extends { kind: 'integer' }
  ? number
  : Field extends { kind: 'texts' | 'urls' | 'redirects' | 'grants' }
    ? string[]
    : Field extends { kind: 'roles' }
      ? ClientRole[]
      : Field extends { kind: 'keys' }
        ? KeySet
        : Field extends { kind: 'boolean' }
          ? boolean
          : Field extends { kind: 'choice'; column?: never; choices: readonly (infer Choice)[] }
            ? Choice
            : string

type Table = typeof clientFields
type ColumnOf<Name extends ClientFieldName> = Table[Name] extends { column: infer Column extends string }
  ? Column
  : never
type WithColumn = { [Name in ClientFieldName]: ColumnOf<Name> extends never ? never : Name }[ClientFieldName]

/** A client's metadata document as JSON has it; fields that were never set are absent. */
export type ClientDocument = { [Name in WithColumn]: ValueOf<Table[Name]> } & ClientMetadata

/** The fields of the document that share a column. */
export type ClientMetadata = {
  readonly [Name in Exclude<ClientFieldName, WithColumn>]?: ValueOf<Table[Name]>
}

/** A client's metadata document as rows and messages have it. */
export type ClientColumns = { [Name in WithColumn as ColumnOf<Name>]: ValueOf<Table[Name]> } & {
  metadata: ClientMetadata
}

/** Columns as somebody sent them. Only `metadata` may have values of other types: null, or an empty text or list, removes a field. */
export type SentColumns = {
  readonly [Column in keyof Omit<ClientColumns, 'metadata'>]?: ClientColumns[Column] | undefined
} & {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** The document whose fields are in columns. Absent and unknown ones are left out. */
export function documentIn(columns: ClientColumns): ClientDocument
export function documentIn(columns: SentColumns): { readonly [Name in ClientFieldName]?: unknown }
export function documentIn({ metadata, ...columns }: SentColumns) {
  const values: Readonly<Record<string, unknown>> = columns
  return present(
    clientFieldEntries.map(([name, { column }]) => [name, column ? values[column] : metadata?.[name]]),
  )
}

/** The columns for the fields of a document. Absent and unknown ones are left out. */
export function columnsIn(document: ClientDocument): ClientColumns
export function columnsIn(
  document: Readonly<Record<string, unknown>>,
): Partial<ClientColumns> & Pick<ClientColumns, 'metadata'>
export function columnsIn(document: Readonly<Record<string, unknown>>) {
  const inColumns = clientFieldEntries.flatMap(([name, { column }]) =>
    column ? [[column, document[name]]] : [],
  )
  const others = clientFieldEntries.filter(([, { column }]) => column === undefined)
  return { ...present(inColumns), metadata: present(others.map(([name]) => [name, document[name]])) }
}

function present(entries: readonly (readonly unknown[])[]) {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
