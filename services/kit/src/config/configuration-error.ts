/** A variable is wrong. The message has one line per wrong variable, for the person who starts the process. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
