import { Refusal } from '@gatehouse/kit/errors'
import { type ItemFailure, refusalOf } from '@gatehouse/kit/rpc/batch-items'
import { keysNeeded } from '@gatehouse/proto/client-authentication'
import type { Presented } from '@gatehouse/proto/token/v1'
import { provesByKey } from './proves-by-key.ts'

/** The failure of an item whose client has its keys at somebody else's server, for which the token service does not let the others wait. */
class KeysNeeded extends Refusal {
  constructor() {
    super('temporarily_unavailable', undefined, {
      detail: 'the keys of the client are not read yet',
      retryAfter: 1,
    })
  }
}

/** The failure of an item of a batch, as the caller of the batch gets it. */
export function failureIn(failure: ItemFailure | undefined): Refusal {
  return failure?.code === keysNeeded ? new KeysNeeded() : refusalOf(failure)
}

/** A request that shares no call with others, so that the token service may wait for the keys of its client. */
export function waiting<Request extends { presented?: Presented | undefined }>(request: Request): Request {
  const { presented } = request
  return mayNeedKeys(presented) ? { ...request, presented: { ...presented, mayWait: true } } : request
}

/** Whether a client may be one of those whose keys are at somebody else's server. */
function mayNeedKeys(presented: Presented | undefined): presented is Presented {
  return presented !== undefined && provesByKey(presented)
}

/**
 * Sends a request with others, and once more in a call of its own if the token service needs keys for it.
 * @param together sends it first
 * @param alone sends one that shares no call
 */
export function onceMoreAlone<Request extends { presented?: Presented | undefined }, Result>(
  together: (request: Request) => Promise<Result>,
  alone: (request: Request) => Promise<Result>,
): (request: Request) => Promise<Result> {
  return (request) => {
    const first = together(request)
    // Most clients have a secret, and none of them needs a promise more.
    if (!mayNeedKeys(request.presented)) return first
    return first.catch((error: unknown) => {
      if (!(error instanceof KeysNeeded)) throw error
      return alone(waiting(request))
    })
  }
}
