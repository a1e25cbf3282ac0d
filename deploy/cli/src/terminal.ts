import type { Readable, Writable } from 'node:stream'

/** Where a command reads and writes. */
export type Terminal = {
  /** A person is asked only where it is a terminal. */
  input: Readable & { isTTY?: boolean }
  /** For what was asked for. */
  output: Writable
  /** For failures, and for questions. */
  errors: Writable
}
