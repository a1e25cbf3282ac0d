/** The measurement is invalid, or cannot begin. The message is one line: what is wrong and what to do. */
export class BenchFailure extends Error {
  override readonly name = 'BenchFailure'
}
