/** A variable is wrong. The message is one line a variable, for the person who starts the process. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
