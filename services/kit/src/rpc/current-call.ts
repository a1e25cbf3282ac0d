import { AsyncLocalStorage } from 'node:async_hooks'

/** A call that is being answered; `isCancelled` is absent once it is answered. */
type CurrentCall = { isCancelled: (() => boolean) | undefined }

const current = new AsyncLocalStorage<CurrentCall>()

/**
 * Answers a call, so that its work can ask whether the caller still waits.
 * @param isCancelled whether the caller has stopped waiting
 */
export async function inCall<Result>(
  isCancelled: () => boolean,
  answer: () => Promise<Result>,
): Promise<Result> {
  const call: CurrentCall = { isCancelled }
  try {
    return await current.run(call, answer)
  } finally {
    // Work that began in the call and goes on after it, such as a timer, is not the caller's. A connection that was opened in the
    // call keeps `call` as long as it lives, and must not keep the request.
    call.isCancelled = undefined
  }
}

/** Does work that several calls share, and that therefore is not that of the call that started it. */
export function outsideCalls<Result>(work: () => Result): Result {
  return current.exit(work)
}

/**
 * Whether the caller whose work this is has stopped waiting. False for the process's own work, and for a message of a stream, which
 * has the requests of several callers.
 */
export function isCallerGone(): boolean {
  return current.getStore()?.isCancelled?.() ?? false
}
