import { Refusal } from '@gatehouse/kit/errors'
import { type ItemFailure, refusalOf } from '@gatehouse/kit/rpc/batch-items'
import { keysNeeded } from '@gatehouse/proto/client-authentication'
import type { Presented } from '@gatehouse/proto/token/v1'

/** The failure of an item whose client has its keys at somebody else's server, for which the token service does not let the others wait. */
class KeysNeeded extends Error {}

/** The failure of an item of a batch, as the caller of the batch gets it. */
export function failureIn(failure: ItemFailure | undefined): Error {
  return failure?.code === keysNeeded ? new KeysNeeded('keys are needed') : refusalOf(failure)
}

/** A request that shares no call with others, so that the token service may wait for the keys of its client. */
export function waiting<Request extends { presented?: Presented | undefined }>(request: Request): Request {
  const { presented } = request
  return presented?.assertion === undefined
    ? request
    : { ...request, presented: { ...presented, mayWait: true } }
}

/** Sends requests that share no call with others. @param alone sends one */
export function waitingAlone<Request extends { presented?: Presented | undefined }, Result>(
  alone: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  return (request) =>
    alone(waiting(request)).catch((error: unknown) => {
      throw error instanceof KeysNeeded ? new Refusal('temporarily_unavailable') : error
    })
}

/**
 * Sends a request with others, and once more in a call of its own if the token service needs keys for it.
 * @param together shares calls
 * @param alone shares none: see waitingAlone
 */
export function onceMoreAlone<Request extends { presented?: Presented | undefined }, Result>(
  together: (request: Request) => Promise<Result>,
  alone: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  return (request) => {
    const first = together(request)
    // Most clients have a secret, and none of them needs a promise more.
    if (request.presented?.assertion === undefined) return first
    return first.catch((error: unknown) => {
      if (!(error instanceof KeysNeeded)) throw error
      return alone(request)
    })
  }
}
