import type { Writable } from 'node:stream'
import type { Outcome } from './prepared.ts'

/** Counts what became of the entries, and shows it while the import runs. */
export type Progress = {
  readonly counts: Readonly<Record<Outcome, number>>
  count(outcome: Outcome): void
  /** The counts in words. */
  text(): string
  /** Since the begin, until the end. */
  seconds(): number
  /** Stops showing. */
  end(): void
}

/** In milliseconds, between two lines; at a terminal, one line changes. */
const atTerminal = 500
const elsewhere = 10_000

/** Begins to count. @param errors where the progress is shown */
export function startProgress(errors: Writable & { isTTY?: boolean }): Progress {
  const counts: Record<Outcome, number> = { created: 0, exists: 0, invalid: 0, skipped: 0 }
  const start = performance.now()
  let end: number | undefined
  const seconds = () => ((end ?? performance.now()) - start) / 1_000
  const number = (value: number) => Math.round(value).toLocaleString('en')
  const text = () =>
    `${number(counts.created)} created, ${number(counts.exists)} exist, ${number(counts.invalid)} invalid, ${number(counts.skipped)} skipped`
  const show = () => {
    const all = Object.values(counts).reduce((sum, count) => sum + count)
    const line = `${text()}; ${number(all / seconds())} a second`
    errors.write(errors.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
  }
  const timer = setInterval(show, errors.isTTY ? atTerminal : elsewhere)
  return {
    counts,
    count(outcome) {
      counts[outcome] += 1
    },
    text,
    seconds: () => Math.round(seconds() * 10) / 10,
    end() {
      end = performance.now()
      clearInterval(timer)
      if (errors.isTTY) errors.write('\r\u001b[K')
    },
  }
}
