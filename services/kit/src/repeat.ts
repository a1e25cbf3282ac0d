import type { Logger } from './log.ts'

/** What repeating needs of the process. */
export type RepeatContext = { log: Logger; onShutdown(step: () => unknown): void }

/**
 * Does a task again and again until the process shuts down. The time between counts from the end of one run to the
 * begin of the next, so a slow run is never overtaken. A run that fails is logged, once until one succeeds again.
 * @param what names the task in the log
 * @param everyMs milliseconds between two runs
 */
export function repeat(
  { log, onShutdown }: RepeatContext,
  what: string,
  everyMs: number,
  task: () => Promise<unknown>,
): void {
  let failing = false
  let stopped = false
  let timer: NodeJS.Timeout
  let running: Promise<void> | undefined
  const next = () => {
    if (!stopped) timer = setTimeout(() => (running = run()), everyMs)
  }
  const run = () =>
    task()
      .then(
        () => {
          if (failing) log.info({ task: what }, 'works again')
          failing = false
        },
        (error) => {
          if (!failing) log.warn({ err: error, task: what }, 'failed; will be tried again')
          failing = true
        },
      )
      .then(next)
  next()
  onShutdown(() => {
    stopped = true
    clearTimeout(timer)
    return running
  })
}
