import { readFileSync } from 'node:fs'
import { rootDirectory } from '@gatehouse/local/places'
import { describe, expect, test } from 'vitest'
import { formSchemasOf } from '../form-schemas.ts'
import { fieldTexts, otherClientFields } from '../src/clients/field-texts.ts'
import { connectionFieldTexts } from '../src/connections/texts/field.ts'
import { groupFieldTexts } from '../src/groups/texts/field.ts'
import { otherUserFields } from '../src/names/user-fields.ts'
import { invitationFieldTexts, organizationFieldTexts } from '../src/organizations/texts/field.ts'
import { otherResourceFields, resourceFieldTexts } from '../src/resources/field-texts.ts'
import { type Language, languages } from '../src/texts/language.ts'
import { attributeTexts } from '../src/users/texts/attribute.ts'

// A field that the API gets must not reach a form under its name in the API, or in English everywhere.

const schemas = formSchemasOf(
  JSON.parse(readFileSync(`${rootDirectory}/docs/reference/openapi.json`, 'utf8')),
)
type Words = Readonly<Record<string, readonly (string | undefined)[] | undefined>>
const resourceWords = (language: Language): Words =>
  Object.fromEntries(
    Object.entries(resourceFieldTexts[language]).map(([name, { title, description }]) => [
      name,
      [title, description],
    ]),
  )

/** Those that have inputs of their own. */
const ownInputs = ['kind', 'organization', 'mapping', 'disabled']

const forms: Record<keyof typeof schemas, { others: readonly string[]; words(language: Language): Words }> = {
  ClientToCreate: { others: otherClientFields, words: (language) => fieldTexts[language] },
  ClientChange: { others: otherClientFields, words: (language) => fieldTexts[language] },
  ResourceServerToCreate: { others: otherResourceFields, words: resourceWords },
  ResourceServerChange: { others: otherResourceFields, words: resourceWords },
  UserToCreate: { others: otherUserFields, words: (language) => attributeTexts[language] },
  UserChange: { others: otherUserFields, words: (language) => attributeTexts[language] },
  GroupToCreate: { others: [], words: (language) => groupFieldTexts[language] },
  GroupChange: { others: [], words: (language) => groupFieldTexts[language] },
  OrganizationToCreate: { others: [], words: (language) => organizationFieldTexts[language] },
  OrganizationChange: { others: ['disabled'], words: (language) => organizationFieldTexts[language] },
  MemberInvitation: {
    others: ['roles', 'language'],
    words: (language) => invitationFieldTexts[language],
  },
  ConnectionToCreate: { others: ownInputs, words: (language) => connectionFieldTexts[language] },
  ConnectionChange: { others: ownInputs, words: (language) => connectionFieldTexts[language] },
  Invitation: {
    others: otherUserFields,
    words: (language) => ({ ...attributeTexts[language], email: attributeTexts[language].invited_email }),
  },
}

describe.each(Object.keys(forms) as (keyof typeof forms)[])('the form of %s', (name) => {
  const { others, words } = forms[name]
  const { properties } = schemas[name]
  const fields = Object.keys(properties).filter((field) => !others.includes(field))

  test('has no revision, which nobody types', () => {
    expect(fields.length).toBeGreaterThan(1)
    expect(Object.keys(properties)).not.toContain('revision')
  })

  test.each(Object.keys(languages) as Language[])('has a label for each field in %s', (language) => {
    const labels = fields.map((field) => {
      const own = words(language)[field]
      // English may be that of the API; no other language is.
      const { title, description } = language === 'en' ? (properties[field] ?? {}) : {}
      return { field, label: own?.[0] ?? title, text: own?.[1] ?? description }
    })
    const bare = labels.filter(({ field, label, text }) => !label || label === field || !text)
    expect(bare).toEqual([])
  })
})
