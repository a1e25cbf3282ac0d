/** The finding of a step: a sentence or a figure of the page. */
export type Finding = { what: string; seen: string }

/** Something that is tried in the cluster. */
export type Step = {
  /** Its name for the command. */
  name: string
  title: string
  /** @throws Error when something is not as it should be */
  run(found: Found): Promise<void>
}

/** Takes down what a step found. */
export type Found = (what: string, seen: string) => void

/**
 * @param isSo whether something is as it should be
 * @param what says the fault otherwise
 * @throws Error if it is not so
 */
export function expectThat(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(what)
}

/** A duration for people. */
export const seconds = (ms: number) => `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
