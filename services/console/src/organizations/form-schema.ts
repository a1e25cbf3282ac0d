import schemas from 'virtual:form-schemas'
import type { FieldWords } from '../form/field-words.ts'
import type { ObjectSchema } from '../form/schema.ts'
import { translateSchema } from '../form/translate-schema.ts'
import { useTexts } from '../texts/language.ts'
import { attributeLines } from './attributes.ts'
import { invitationFieldTexts, organizationFieldTexts } from './texts/field.ts'

type Words = Readonly<Record<string, FieldWords | undefined>>

/** A schema of the API for a form about an organization, with the words for its fields in the language that people see. */
export function useOrganizationSchema(name: 'OrganizationToCreate' | 'OrganizationChange'): ObjectSchema {
  const words: Words = useTexts(organizationFieldTexts)
  const { properties, ...schema } = schemas[name]
  return translateSchema(
    { ...schema, properties: { ...properties, attributes: attributeLines } },
    (field) => words[field],
  )
}

/** The schema for the form of an invitation. */
export function useInvitationSchema(): ObjectSchema {
  const words: Words = useTexts(invitationFieldTexts)
  return translateSchema(schemas.MemberInvitation, (field) => words[field])
}
