import type { Language } from '@gatehouse/proto/people/languages'
import {
  attributeSchema,
  type UserAttribute,
  type UserAttributeName,
  userAttributeEntries,
} from '@gatehouse/proto/people/user-attributes'
import { attributeWords } from '../texts/attributes.ts'
import { textsIn } from '../texts/table.ts'

/** An attribute of a user in a form. */
export type AttributeInput = {
  name: UserAttributeName
  label: string
  description: string
  kind: UserAttribute['kind']
  /** In characters; undefined when it has no bound. */
  maxLength: number | undefined
  /** The detail that the browser may fill in for its user; `off` when it may fill in none. */
  autocomplete: string
  /** The text in the input, or of a boolean the choice that was sent: true, false, or empty for none. */
  value: string
  /** Whether a boolean is true now: yes, no, or empty when it is not known. */
  current: string
}

/** An attribute of a user in words. */
export type AttributeFact = { label: string; value: string }

/** The labels of the attributes by name. */
export function attributeLabels(language: Language): Readonly<Record<string, string>> {
  return Object.fromEntries(
    userAttributeEntries.map(([name]) => [name, attributeWords(name, language).label]),
  )
}

/** The names of all time zones, which forms suggest. */
export const timeZones: readonly string[] = Intl.supportedValuesOf('timeZone')

type Values = Readonly<Record<string, unknown>>

/**
 * The inputs of a form for the attributes that its author may set.
 * @param values a user's attributes, or a form that was sent
 */
export function attributeInputs(
  values: Values,
  author: UserAttribute['setBy'],
  language: Language,
): AttributeInput[] {
  return settableBy(author).map(([name, attribute]) => {
    const { kind, autocomplete = 'off' } = attribute
    const { label, description } = attributeWords(name, language)
    const { maxLength } = attributeSchema(attribute) as { maxLength?: number }
    const value = values[name]
    return {
      name,
      label,
      description,
      kind,
      maxLength,
      // An administrator's browser knows the administrator, not the user.
      autocomplete: author === 'users' ? autocomplete : 'off',
      value: typeof value === 'string' ? value : '',
      current: typeof value === 'boolean' ? inWords(value, language) : '',
    }
  })
}

/** Reads attributes from a form; null for an empty text, which removes it. A choice that was not made leaves a boolean as it is. */
export function attributesFrom(form: Values, author: UserAttribute['setBy']): Record<string, unknown> {
  const values = settableBy(author).map(([name, { kind }]) => {
    const text = String(form[name] ?? '').trim()
    if (kind === 'boolean') return [name, text === '' ? undefined : text === 'true']
    return [name, text === '' ? null : text]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** A user's attributes in words. */
export function attributeFacts(attributes: Values, language: Language): AttributeFact[] {
  return userAttributeEntries.flatMap(([name]) => {
    const value = attributes[name]
    if (value === undefined) return []
    return [{ label: attributeWords(name, language).label, value: inWords(value, language) }]
  })
}

function inWords(value: unknown, language: Language): string {
  const { yes, no } = textsIn(language).details
  if (typeof value === 'boolean') return value ? yes : no
  return String(value)
}

function settableBy(author: UserAttribute['setBy']) {
  return userAttributeEntries.filter(([, { setBy }]) => author === 'administrators' || setBy === author)
}
