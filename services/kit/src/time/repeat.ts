import type { Logger } from '../telemetry/log.ts'

/** The parts of a process context that `repeat` needs. */
export type RepeatContext = { log: Logger; onShutdown(step: () => unknown): void }

/**
 * Runs a task repeatedly until the process shuts down. The interval counts from the end of one run to the start of the
 * next, so runs never overlap. Of several failures in a row only the first is logged, and the next success.
 * @param what names the task in the log
 * @param everyMs milliseconds between two runs, or a function that returns them, called before each run
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
 * Runs a task now and, if it fails, repeats it until it has succeeded once. Resolves after the first try.
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
