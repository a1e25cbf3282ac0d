import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { getSystemErrorMessage } from 'node:util'
import { ConfigurationError } from './configuration-error.ts'

/** The variable with the path of a file that holds the value of a secret one, as container platforms mount it. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`
}

/** The size of a file that is no secret, in bytes. */
const tooLarge = 65_536

/**
 * The value of a secret variable, of its own or of its file, without the line break at the end of that.
 * @param environment usually process.env
 * @returns undefined where neither is set
 * @throws ConfigurationError where both are, or the file cannot be read, or is empty, too large or not UTF-8
 */
export function secretOf(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const variable = fileVariableOf(name)
  const [value, file] = [environment[name], environment[variable]]
  if (!file) return value || undefined
  if (value) throw new ConfigurationError(`${name} and ${variable} are both set: keep one of them`)
  const refusal = (fault: string) =>
    new ConfigurationError(`${variable} names ${shown(file)}, which ${fault}`)
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException
    throw refusal(`cannot be read: ${errno === undefined ? code : getSystemErrorMessage(errno)}`)
  }
  if (bytes.length >= tooLarge) throw refusal('is too large for a secret')
  if (!isUtf8(bytes)) throw refusal('is not UTF-8')
  const content = bytes.toString().replace(/\r?\n$/, '')
  if (content === '') throw refusal('is empty')
  return content
}

/** A path as it may be shown. A text that does not look like one may be the secret itself, which somebody put there. */
function shown(path: string): string {
  return /^\.{0,2}\//.test(path) ? path : 'something that is no path with a / at its start'
}
