import type { FieldWords } from './field-words.ts'
import type { ObjectSchema } from './schema.ts'

/** A schema with words for its fields. */
export function translateSchema(
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
