import schemas from 'virtual:form-schemas'
import type { ObjectSchema } from '../form/schema.ts'
import { useTexts } from '../texts/language.ts'
import { resourceFieldTexts } from './field-texts.ts'
import { resourceTexts } from './texts.ts'

/** The schemas of the forms of resource servers, with words in the language that people see. */
export function useFormSchemas(): { created: ObjectSchema; changed: ObjectSchema } {
  const fields = useTexts(resourceFieldTexts)
  const { renamedText } = useTexts(resourceTexts)
  const withWords = (schema: ObjectSchema, words: Readonly<Record<string, object>>): ObjectSchema => ({
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [name, { ...field, ...words[name] }]),
    ),
  })
  const { name } = fields
  return {
    created: withWords(schemas.ResourceServerToCreate, fields),
    // There is no default for what has a name already.
    changed: withWords(schemas.ResourceServerChange, {
      ...fields,
      name: { ...name, description: renamedText },
    }),
  }
}
