/**
 * Waits for a task until a signal is aborted; a failure after that is ignored.
 * @throws the error of the task, or the signal's reason
 */
export function inTime<Result>(signal: AbortSignal, task: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    task.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
