/** The exit codes of a command, for scripts. */
export const exitCodes = {
  done: 0,
  /** The server refused the request or failed. */
  failed: 1,
  /** The command itself is invalid. */
  usage: 2,
  /** The credentials are missing, invalid, or not an administrator's. */
  notAuthorized: 3,
  /** There is no such client, user or token. */
  notFound: 4,
  /** The server does not answer, or is temporarily unavailable. */
  unavailable: 5,
} as const

/** Why a command failed, in one line for people. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}
