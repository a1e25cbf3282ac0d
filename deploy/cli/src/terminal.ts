import type { Readable, Writable } from 'node:stream'

/** The streams that a command reads from and writes to. */
export type Terminal = {
  /** A person is asked only if this is a terminal. */
  input: Readable & { isTTY?: boolean }
  /** For results. */
  output: Writable
  /** For failures, and for questions. */
  errors: Writable
}

/** Writes a text, and waits until it is out. @returns false when nobody reads it any more */
export function written(output: Writable, text: string): Promise<boolean> {
  return new Promise((resolve) => output.write(text, (error) => resolve(!error)))
}
