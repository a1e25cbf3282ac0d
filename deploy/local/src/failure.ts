/** A failure that the person at the terminal can fix. The message is one line: what is wrong and what to do. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
}

/** The message of whatever was thrown, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/\s*\n\s*/g, ' ').trim()
}
