import schemas from 'virtual:form-schemas'
import type { FieldWords } from '../form/field-words.ts'
import type { ObjectSchema } from '../form/schema.ts'
import { translateSchema } from '../form/translate-schema.ts'
import { useTexts } from '../texts/language.ts'
import { attributeTexts } from './texts/attribute.ts'

/** A schema of the API for a form about a user, with the words for its fields in the language that people see. */
export function useUserSchema(name: 'UserToCreate' | 'UserChange' | 'Invitation'): ObjectSchema {
  const words: Readonly<Record<string, FieldWords | undefined>> = useTexts(attributeTexts)
  return translateSchema(
    schemas[name],
    (field) => words[name === 'Invitation' && field === 'email' ? 'invited_email' : field],
  )
}
