import schemas from 'virtual:form-schemas'
import type { FieldWords } from '../form/field-words.ts'
import type { ObjectSchema } from '../form/schema.ts'
import { translateSchema } from '../form/translate-schema.ts'
import { useTexts } from '../texts/language.ts'
import { groupFieldTexts } from './texts/field.ts'

/** A schema of the API for a form about a group, with the words for its fields in the language that people see. */
export function useGroupSchema(name: 'GroupToCreate' | 'GroupChange'): ObjectSchema {
  const words: Readonly<Record<string, FieldWords | undefined>> = useTexts(groupFieldTexts)
  return translateSchema(schemas[name], (field) => words[field])
}
