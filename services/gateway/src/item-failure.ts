import { Refusal } from '@gatehouse/kit/errors'
import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'

/**
 * Why one item of a shared call was refused.
 * @param failure what the service says of it; undefined: nothing
 */
export function refusalOf(failure: { code: string; description: string } | undefined): Refusal {
  // A newer service may know codes that this gateway does not.
  if (failure === undefined || !Object.hasOwn(errorCatalogue, failure.code))
    return new Refusal('server_error')
  return new Refusal(failure.code as ErrorCode, failure.description)
}
