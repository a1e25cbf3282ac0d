import { Refusal } from '@gatehouse/kit/errors'
import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'

/**
 * Translates the failure of one item of a shared call.
 * @param failure the failure that the service reports for the item; undefined when it reports none
 */
export function refusalOf(failure: Failure | undefined): Refusal {
  // A newer service may know codes that this gateway does not.
  if (failure === undefined || !Object.hasOwn(errorCatalogue, failure.code))
    return new Refusal('server_error')
  const { code, description, retryAfter } = failure
  return new Refusal(code as ErrorCode, description, retryAfter === undefined ? {} : { retryAfter })
}

type Failure = {
  code: string
  description: string
  /** In seconds. */
  retryAfter?: number | undefined
}
