import schemas from 'virtual:form-schemas'
import type { ObjectSchema } from '../form/schema.ts'
import { worded } from '../form/worded.ts'
import { useTexts } from '../texts/language.ts'
import { attributeTexts } from './attribute-texts.ts'

/** What a change of a user has besides their attributes. */
const others = ['disabled', 'admin', 'admin_role']

/** The attributes of a user, in the order in which people read them. */
export const attributeNames = Object.keys(schemas.UserChange.properties).filter(
  (name) => !others.includes(name),
)

/** A schema of the API for a form about a user, with the words for its fields in the language that people see. */
export function useUserSchema(name: 'NewUser' | 'UserChange' | 'Invitation'): ObjectSchema {
  const words = useTexts(attributeTexts)
  return worded(
    schemas[name],
    (field) => words[name === 'Invitation' && field === 'email' ? 'invited_email' : field],
  )
}
