import { Refusal } from '@gatehouse/kit/errors'
import { refusalOf } from '../item-failure.ts'
import { isServiceFailure, isUnavailable } from './failures.ts'

/** A response to a shared call: an outcome for each item. */
type BatchResponse = { results: readonly { outcome?: Outcome | undefined }[] }
type Outcome = { $case: string; value: { code: string; description: string } }

/** A response that answers none of its items, because the service is broken or busy. */
class FailedBatch extends Refusal {
  readonly response: BatchResponse

  constructor(code: 'temporarily_unavailable' | 'server_error', response: BatchResponse) {
    super(code)
    this.response = response
  }
}

/**
 * Passes a response on, unless it answers none of its items. A service whose database is away sends such a response with
 * the gRPC status OK, so the circuit must look into it. One item that fails alone says nothing of the service.
 * @throws Refusal of the whole call, from which `responseOf` gets the response back
 */
export function unlessFailed(response: unknown): unknown {
  if (!isBatch(response) || response.results.length === 0) return response
  const failures: Refusal[] = []
  for (const { outcome } of response.results) {
    const failure = outcome?.$case === 'failure' ? refusalOf(outcome.value) : undefined
    if (failure === undefined || !isServiceFailure(failure)) return response
    failures.push(failure)
  }
  throw new FailedBatch(failures.every(isUnavailable) ? 'temporarily_unavailable' : 'server_error', response)
}

/**
 * The response of a failed batch, so that each of its items is told its own failure.
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
