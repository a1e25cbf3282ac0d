import { AsyncLocalStorage } from 'node:async_hooks'

/** A call that is being answered, and whether that is over. */
type CurrentCall = { isCancelled(): boolean; over: boolean }

const current = new AsyncLocalStorage<CurrentCall>()

/**
 * Answers a call, so that its work can ask whether the caller still waits.
 * @param call.isCancelled whether the caller has stopped waiting
 */
export async function inCall<Result>(
  { isCancelled }: Pick<CurrentCall, 'isCancelled'>,
  answer: () => Promise<Result>,
): Promise<Result> {
  const call: CurrentCall = { isCancelled, over: false }
  try {
    return await current.run(call, answer)
  } finally {
    // What began in the call and goes on after it, such as a timer, is not the caller's work.
    call.over = true
  }
}

/** Whether the caller whose work this is has stopped waiting, and was told that it failed. False for the process's own work. */
export function isCallerGone(): boolean {
  const call = current.getStore()
  return call !== undefined && !call.over && call.isCancelled()
}
