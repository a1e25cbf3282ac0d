import { parse, YAMLError } from 'yaml'

/**
 * Parses YAML or JSON. Aliases that would make it grow without a bound are refused.
 * @param fail throws an error that says what is wrong, in a line
 */
export function parsedYaml(content: string, fail: (fault: string) => never): unknown {
  try {
    return parse(content, { logLevel: 'error' })
  } catch (error) {
    const { message } = error as Error
    // The parser wraps some of the errors of a full stack into its own.
    if (error instanceof RangeError || message.startsWith('Maximum call stack'))
      return fail('it is nested too deeply')
    if (error instanceof YAMLError) return fail(message.split('\n')[0] ?? '')
    if (!(error instanceof ReferenceError)) throw error
    if (message.startsWith('Excessive alias count'))
      return fail('its aliases (*name) repeat too much: write out what they stand for')
    return fail(message)
  }
}
