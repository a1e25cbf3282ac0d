import schemas from 'virtual:form-schemas'
import type { FieldWords } from '../form/field-words.ts'
import type { ObjectSchema } from '../form/schema.ts'
import { translateSchema } from '../form/translate-schema.ts'
import { useTexts } from '../texts/language.ts'
import { fieldTexts } from './field-texts.ts'

/** A schema of the API for a form about a client, with the words for its fields in the language that people see. */
export function useClientSchema(name: 'ClientToCreate' | 'ClientChange'): ObjectSchema {
  const words: Readonly<Record<string, FieldWords | undefined>> = useTexts(fieldTexts)
  return translateSchema(schemas[name], (field) => words[field])
}
