import { Refusal } from '@gatehouse/kit/errors'
import { type PasswordFault, passwordFaults, passwordLength } from '@gatehouse/proto/people/passwords'
import { dictionary } from '@zxcvbn-ts/language-common'
import { hasLength } from '../basics/text.ts'

/** The common passwords that are long enough for a new one, in lower case. */
const common: ReadonlySet<string> = new Set(
  dictionary['passwords-common']
    .map((password) => String(password).toLowerCase())
    .filter((password) => password.length >= passwordLength.least),
)

/**
 * Finds the fault of a new password.
 * @param names the user's names and addresses, none of which may be the password
 * @returns undefined for a good one
 */
export function passwordFault(
  password: string,
  names: readonly (string | undefined)[],
): PasswordFault | undefined {
  const { least, most } = passwordLength
  if (hasLength(password, 0, least - 1)) return 'too_short'
  if (!hasLength(password, least, most)) return 'too_long'
  const lower = password.toLowerCase()
  if (common.has(lower)) return 'too_common'
  return names.some((name) => name?.toLowerCase() === lower) ? 'like_name' : undefined
}

/**
 * Checks a new password.
 * @param field the name of the parameter, with which the message begins
 * @throws Refusal invalid_request
 */
export function checkNewPassword(
  field: string,
  password: string,
  names: readonly (string | undefined)[],
): void {
  const fault = passwordFault(password, names)
  if (fault) throw new Refusal('invalid_request', `${field} ${passwordFaults[fault]}.`)
}
