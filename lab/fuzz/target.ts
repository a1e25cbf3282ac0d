import { Refusal } from '@gatehouse/kit/errors'
import type { Arbitrary } from 'fast-check'

/** Functions of ours that read what strangers send, and what must hold for every input. */
export type Target<Input = unknown> = {
  name: string
  /** The functions, as `path#name` within services/ or deploy/. */
  reads: readonly string[]
  /** Inputs that JSON can hold, so that those of the corpus can be kept in a file. */
  inputs: Arbitrary<Input>
  /** Throws when the functions do what they must not do. A refusal in their documentation is none of that. */
  check(input: Input): void | Promise<void>
}

/** A target among others. */
export function target<Input>(made: Target<Input>): Target {
  return made as Target
}

/** The result of a function; undefined when it refuses its input, which is in order. Every other error is a finding. */
export function unlessRefused<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** The same for a function that answers later. */
export async function unlessRefusedLater<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** @throws Error with this text unless the condition holds */
export function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise)
}
