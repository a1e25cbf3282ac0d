import { setTimeout as sleep } from 'node:timers/promises'
import { checkAnswer } from './answers.ts'
import type { Database, StoredTokens } from './durability.ts'
import { BenchFailure } from './failure.ts'
import { post } from './http.ts'
import { type Usage, watch } from './measuring/usage.ts'
import { type Options, type Phase, paths } from './options.ts'
import type { Forms, Subject } from './subjects.ts'
import { type Load, runWrk } from './wrk.ts'

/** One subject under load for a while. */
export type Measurement = Load & {
  usage: Usage
  /** Only if Gatehouse issued tokens: those in its database, including those of the warm-up. */
  stored?: StoredTokens & { answered: number }
}

/** The needs of runs. */
export type RunDeps = {
  options: Pick<Options, 'seconds' | 'warmUpSeconds' | 'connections'>
  database: Database
  signal: AbortSignal
  /** Called right before and after the measurement. */
  around?: { begin(label: string): Promise<void>; end(): Promise<void> } | undefined
}

/** Answers differ by a digit or a header; `{"active":false}` or an error page differ by far more. */
const sizeTolerance = 0.03
/** How long the requests that wrk left unanswered may take, in milliseconds. */
const pause = 300

/**
 * Puts one subject under load.
 * @param label the name of the run in the profiles
 * @throws BenchFailure when an answer was wrong, or an issued token was not stored
 */
export async function measure(
  deps: RunDeps,
  subject: Subject,
  phase: Phase,
  forms: Forms,
  label: string,
): Promise<Measurement> {
  const { options, database, signal, around } = deps
  const { connections } = options
  const url = `${subject.url}${paths[phase]}`
  const sample = await post(url, forms.first)
  if (subject.name !== 'ceiling') checkAnswer(phase, sample, subject.credentials, subject.name)
  const issues = subject.name === 'gatehouse' && phase === 'issue'
  const stopCounting = issues ? await database.countTokens(JSON.parse(sample.text).expires_in) : undefined

  const load = { url, formsFile: forms.file, connections, signal }
  const warmUp = await runWrk({ ...load, seconds: options.warmUpSeconds })
  await sleep(pause)
  await around?.begin(label)
  const stopWatching = watch(subject.watched)
  const result = await runWrk({ ...load, seconds: options.seconds })
  const usage = stopWatching()
  await around?.end()
  await sleep(pause)

  if (Math.abs(result.answerBytes / sample.bytes - 1) > sizeTolerance) {
    const sizes = `${Math.round(result.answerBytes)} bytes on average, not ${sample.bytes}`
    throw new BenchFailure(`${subject.name} gave wrong answers under load: ${sizes} (${phase})`)
  }
  if (!stopCounting) return { ...result, usage }
  const stored = { ...(await stopCounting()), answered: warmUp.requests + result.requests }
  if (stored.rows < stored.answered) {
    const { answered, rows } = stored
    throw new BenchFailure(`Gatehouse answered ${answered} tokens and has only ${rows} of them in PostgreSQL`)
  }
  return { ...result, usage, stored }
}
