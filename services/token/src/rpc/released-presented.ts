import { randomUUIDv7 } from 'node:crypto'
import type { Presented, PresentedCredentials } from '../clients/client-authentication.ts'

/** A request, in which a gateway of release 0.7.0 sends the parts of `presented` instead. */
type SentRequest = {
  presented?: Presented | undefined
  credentials: readonly PresentedCredentials[]
  bearerToken?: string | undefined
}

/**
 * Fills in everything that the sender of a request presents, whichever release sent it, and gives the request an attempt of its own. The
 * request is changed, not copied.
 */
export function withPresented<Request extends SentRequest>(
  request: Request,
): Request & { presented: Presented } {
  const { credentials, bearerToken } = request
  request.presented ??= {
    credentials,
    token: bearerToken === undefined ? undefined : { token: bearerToken, scheme: 'bearer' },
  }
  // A copy: a message has no such field.
  if (request.presented.assertion !== undefined)
    request.presented = { ...request.presented, attempt: randomUUIDv7() }
  return request as Request & { presented: Presented }
}
