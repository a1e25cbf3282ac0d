import { type TSchema, Type } from '@gatehouse/proto/typebox'

/** A field of the metadata documents: its schema, and its value; undefined where it is absent. */
export type MetadataField = { readonly schema: TSchema; readonly value: unknown }

/** Fields of the metadata documents, by their names (RFC 8414 section 2). */
export type MetadataFields = Readonly<Record<string, MetadataField>>

/** A field with an address. */
export function address(value: string | undefined, options: { description?: string } = {}): MetadataField {
  return { schema: Type.String({ format: 'uri', ...options }), value }
}

/** A field with several texts. */
export function texts(value: readonly string[]): MetadataField {
  return { schema: Type.Array(Type.String()), value }
}

/** A field that says whether something is so. */
export function flag(value: boolean | undefined, options: { description?: string } = {}): MetadataField {
  return { schema: Type.Boolean(options), value }
}

/** A field that may be absent. */
export function optional({ schema, value }: MetadataField): MetadataField {
  return { schema: Type.Optional(schema), value }
}
