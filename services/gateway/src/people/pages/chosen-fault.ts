import { passwordLength } from '@gatehouse/proto/people/passwords'
import type { Texts } from '../texts/table.ts'

/**
 * The fault of a form in which a person chooses a user name or a password, in the language of the page.
 * @param code as the identity service gives it; undefined from one that gives none
 * @returns undefined for an unknown code
 */
export function chosenFaultIn({ password: { faults } }: Texts, code: string | undefined): string | undefined {
  if (code === 'too_short') return faults.too_short(passwordLength.least)
  const others: Readonly<Record<string, string>> = { ...faults, too_short: '' }
  return code !== undefined && Object.hasOwn(others, code) ? others[code] : undefined
}
