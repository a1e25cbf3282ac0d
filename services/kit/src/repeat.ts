import type { Logger } from './log.ts'

/** What repeating needs of the process. */
export type RepeatContext = { log: Logger; onShutdown(step: () => unknown): void }

/**
 * Does a task again and again until the process shuts down. The time between counts from the end of one run to the
 * begin of the next, so a slow run is never overtaken. A run that fails is logged, once until one succeeds again.
 * @param what names the task in the log
 * @param everyMs milliseconds between two runs, or what says how many, anew each time
 */
export function repeat(
  { log, onShutdown }: RepeatContext,
  what: string,
  everyMs: number | (() => number),
  task: () => Promise<unknown>,
): void {
  let failing = false
  let stopped = false
  let timer: NodeJS.Timeout
  let running: Promise<void> | undefined
  const next = () => {
    if (!stopped)
      timer = setTimeout(() => (running = run()), typeof everyMs === 'number' ? everyMs : everyMs())
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

/**
 * Does a task now and, when it fails, again and again until it has succeeded once. Resolves after the first try.
 * @param what names the task in the log
 * @param everyMs milliseconds between two tries
 */
export async function untilDone(
  context: RepeatContext,
  what: string,
  everyMs: number,
  task: () => Promise<unknown>,
): Promise<void> {
  let done = false
  const tryOnce = async () => {
    if (done) return
    await task()
    done = true
  }
  try {
    await tryOnce()
  } catch (error) {
    context.log.warn({ err: error, task: what }, 'failed; will be tried again')
    repeat(context, what, everyMs, tryOnce)
  }
}
