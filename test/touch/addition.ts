import type { Edit } from './edit.ts'
import { isProduct } from './product.ts'

/** Something that is added to the product again and again, and how many of its files that takes. */
export type Addition = {
  /** A noun with an article, for people. */
  name: string
  /** How many files it should take one day. */
  goal: number | '1 folder'
  /** How many it takes today; more is an error. The steps that make it cheap bring this down to the goal. */
  most: number
} & (Made | Counted)

/** An addition that is really made, in a scratch copy. */
export type Made = {
  /** Its entry in the table of its kind: the edits with which a developer begins. Empty where there is no such table. */
  entry: readonly Edit[]
  /** The files of the product for which the compiler asks when only the entry is there. */
  asks: readonly string[]
  /** Everything else that it needs, in tests too if they do not compile without it. Generated files are left out. */
  rest: readonly Edit[]
}

/** An addition that would be too dear to make today: the files that an earlier one of its kind takes. */
export type Counted = {
  /** Finds them. */
  precedent(): string[]
}

/** Whether an addition is really made. */
export function isMade(addition: Addition): addition is Addition & Made {
  return 'entry' in addition
}

/** The files of the product that an addition takes, each once. */
export function filesOf(addition: Addition): string[] {
  if (!isMade(addition)) return addition.precedent()
  const { entry, rest } = addition
  return [...new Set([...entry, ...rest].map(({ file }) => file))].filter(isProduct)
}
