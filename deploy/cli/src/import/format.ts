import { CommandFailure, exitCodes } from '../failure.ts'

/**
 * Recognises the format of a file by its beginning.
 * @param beginning the first bytes, or all of a shorter file
 * @returns the JSON value of the first line, if that is complete
 * @throws CommandFailure when the file is empty or no JSON
 */
export function firstLine(beginning: string): unknown {
  const text = beginning.trimStart()
  if (text === '') throw new CommandFailure('The file is empty.')
  if (!/^[{[]/.test(text)) throw new CommandFailure('The file is not JSON.', exitCodes.usage)
  try {
    return JSON.parse(text.split('\n', 1)[0] ?? '')
  } catch {
    // A document of several lines, or a line that is longer than the beginning.
    return undefined
  }
}
