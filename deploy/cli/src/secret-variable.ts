import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { secretOf } from '@gatehouse/kit/config/secret-file'
import { CommandFailure, exitCodes } from './failure.ts'

/**
 * The value of a secret variable, of its own or of the file that NAME_FILE names.
 * @returns undefined where neither is set
 * @throws CommandFailure where both are, or the file has no value
 */
export function secretVariable(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  try {
    return secretOf(name, environment)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new CommandFailure(error.message, exitCodes.usage)
  }
}
