import { Refusal } from '@gatehouse/kit/errors'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'

/**
 * Checks a text that people read.
 * @param longest in characters
 * @returns the text without white space around it
 * @throws Refusal invalid_request, which names the field
 */
export function checkText(field: string, text: string, longest: number): string {
  if (text.trim() === '') refuse(`${field} is empty`)
  return checkOptionalText(field, text, longest)
}

/** The same, for a text that may be empty. */
export function checkOptionalText(field: string, text: string, longest: number): string {
  const trimmed = text.trim()
  if ([...trimmed].length > longest) refuse(`${field} is longer than ${longest} characters`)
  const fault = trimmed === '' ? undefined : visibleTextFault(trimmed)
  if (fault) refuse(`${field} ${fault}`)
  return trimmed
}

/** @param description a sentence without its full stop. @throws Refusal invalid_request */
export function refuse(description: string): never {
  throw new Refusal('invalid_request', `${description}.`)
}
