/** What a command ends with, for scripts. */
export const exitCodes = {
  done: 0,
  /** The server refused it, or could not do it. */
  failed: 1,
  /** The command itself is wrong. */
  usage: 2,
  /** The credentials are missing, wrong, or not an administrator's. */
  notLetIn: 3,
  /** There is no such client, user or token. */
  notFound: 4,
  /** The server does not answer, or says that it cannot right now. */
  unavailable: 5,
} as const

/** Why a command did not do what it should, in one line for people. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}
