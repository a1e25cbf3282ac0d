import { isUnknownCall, Refusal } from '@gatehouse/kit/errors'

/** Whether a failed call is the fault of the service or of the way to it, not of who asked. */
export function isServiceFailure(error: unknown): boolean {
  if (isUnknownCall(error)) return false
  return !(error instanceof Refusal) || isUnavailable(error) || error.code === 'server_error'
}

/** Whether a failed call may succeed when it is made again. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'temporarily_unavailable'
}

/**
 * What is answered instead of work that is not begun.
 * @param detail why, for the log
 * @param retryAfter in seconds
 */
export function unavailable(detail: string, retryAfter = 1): Refusal {
  return new Refusal('temporarily_unavailable', undefined, { detail, retryAfter })
}
