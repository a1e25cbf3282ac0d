import type { ObjectSchema } from './schema.ts'

/** The label of a field, and what is said below its input. */
export type FieldWords = readonly [label: string, description?: string]

/** A schema with words for its fields. A field without words keeps those of the API, which are English. */
export function worded(
  schema: ObjectSchema,
  wordsOf: (field: string) => FieldWords | undefined,
): ObjectSchema {
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([field, property]) => {
        const [title = property.title, description = property.description] = wordsOf(field) ?? []
        return [field, { ...property, title, description }]
      }),
    ),
  }
}
