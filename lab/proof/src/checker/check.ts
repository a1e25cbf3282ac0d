/** A failure of a check. */
export type Failure = {
  text: string
  /** When it was seen, in milliseconds since the start of the run; undefined when it has no time. */
  at?: number
}

/** The result of a check. */
export type Check = {
  name: string
  /** How many things were checked. */
  checked: number
  failures: readonly Failure[]
}

/** A check that goes on. */
export type OpenCheck = Check & {
  failures: Failure[]
  /** Counts a thing that was checked, and its failure if it is wrong. */
  count(isRight: boolean, failure: () => Failure): void
}

/** Begins a check. */
export function openCheck(name: string): OpenCheck {
  const check: OpenCheck = {
    name,
    checked: 0,
    failures: [],
    count(isRight, failure) {
      check.checked += 1
      if (!isRight) check.failures.push(failure())
    },
  }
  return check
}

/** A time of a run, as minutes and seconds. */
export function time(at: number): string {
  if (!Number.isFinite(at)) return 'no time'
  return `${Math.floor(at / 60_000)}:${((at % 60_000) / 1_000).toFixed(3).padStart(6, '0')}`
}
