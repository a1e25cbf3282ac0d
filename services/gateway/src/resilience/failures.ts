import { isPostponed, isUnknownCall, Refusal } from '@gatehouse/kit/errors'

/** Whether a call failed because of the service or the network, and not because of the caller. */
export function isServiceFailure(error: unknown): boolean {
  if (isUnknownCall(error) || isPostponed(error)) return false
  return !(error instanceof Refusal) || isUnavailable(error) || error.code === 'server_error'
}

/** Whether a failed call may succeed when it is repeated. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'temporarily_unavailable'
}

/**
 * The refusal of a request for which no work was begun.
 * @param detail why, for the log
 * @param retryAfter in seconds
 */
export function unavailable(detail: string, retryAfter = 1): Refusal {
  return new Refusal('temporarily_unavailable', undefined, { detail, retryAfter })
}
