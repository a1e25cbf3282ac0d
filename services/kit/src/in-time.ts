/**
 * Waits for a task no longer than until a signal is aborted; what becomes of it afterwards is nobody's failure.
 * @throws what the task throws, or the signal's reason
 */
export function inTime<Result>(signal: AbortSignal, task: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    task.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
