import schemas from 'virtual:form-schemas'
import type { FieldWords } from '../form/field-words.ts'
import type { ObjectSchema } from '../form/schema.ts'
import { translateSchema } from '../form/translate-schema.ts'
import { useTexts } from '../texts/language.ts'
import { type Kind, newUsersRules, withoutSettings } from './kinds.ts'
import { connectionFieldTexts } from './texts/field.ts'

/** The fields with inputs of their own. */
const own = ['kind', 'organization', 'mapping', 'disabled']

/**
 * A schema of the API for a form about a connection, with what its kind and its place allow.
 * @returns the schema, and the fields that the form leaves out
 */
export function useConnectionSchema(
  name: 'ConnectionToCreate' | 'ConnectionChange',
  { kind, ofOrganization }: { kind: Kind; ofOrganization: boolean },
): { schema: ObjectSchema; without: readonly string[] } {
  const words: Readonly<Record<string, FieldWords | undefined>> = useTexts(connectionFieldTexts)
  const { properties, required = [] } = schemas[name]
  const without = [...own, ...withoutSettings[kind]]
  const needed = name === 'ConnectionToCreate' && !without.includes('issuer') ? ['issuer'] : []
  const schema = {
    properties: {
      ...properties,
      client_secret: { ...properties.client_secret, format: 'password' },
      new_users: { ...properties.new_users, enum: newUsersRules(ofOrganization) },
    },
    required: [...required, ...needed].filter((field) => !without.includes(field)),
  }
  return { schema: translateSchema(schema, (field) => words[field]), without }
}

/** The settings that people look for first. */
export const mainSettings = [
  'name',
  'issuer',
  'client_id',
  'client_secret',
  'client_authentication',
  'tenants',
  'new_users',
  'domains',
  'on_login_page',
]
