import { Refusal } from '@gatehouse/kit/errors'
import { type ItemFailure, refusalOf } from '@gatehouse/kit/rpc/batch-items'
import { keysNeeded } from '@gatehouse/proto/client-authentication'
import { isServiceFailure, isUnavailable } from './failures.ts'

/** The response to a shared call, with an outcome for each item. */
type BatchResponse = { results: readonly { outcome?: Outcome | undefined }[] }
type Outcome = { $case: string; value: ItemFailure }

/** A response in which every item failed because the service is broken or busy. */
class FailedBatch extends Refusal {
  readonly response: BatchResponse

  constructor(code: 'temporarily_unavailable' | 'server_error', response: BatchResponse) {
    super(code)
    this.response = response
  }
}

/**
 * Passes a response on unless every item in it failed because of the service. A service without its database sends such a
 * response with the gRPC status OK, so the circuit has to look at the items. A single failed item does not mean that the
 * service failed.
 * @throws Refusal for the whole call, from which `responseOf` gets the response back
 */
export function unlessFailed(response: unknown): unknown {
  if (!isBatch(response) || response.results.length === 0) return response
  const failures: Refusal[] = []
  for (const { outcome } of response.results) {
    // Nothing failed yet: the item comes once more. Strangers can cause as many of these as they like.
    if (outcome?.$case === 'failure' && outcome.value.code === keysNeeded) return response
    const failure = outcome?.$case === 'failure' ? refusalOf(outcome.value) : undefined
    if (failure === undefined || !isServiceFailure(failure)) return response
    failures.push(failure)
  }
  throw new FailedBatch(failures.every(isUnavailable) ? 'temporarily_unavailable' : 'server_error', response)
}

/**
 * Gets the response of a failed batch, so that each item gets its own failure.
 * @throws any other error
 */
export function responseOf(error: unknown): unknown {
  if (error instanceof FailedBatch) return error.response
  throw error
}

function isBatch(response: unknown): response is BatchResponse {
  return (
    typeof response === 'object' &&
    response !== null &&
    'results' in response &&
    Array.isArray(response.results)
  )
}
