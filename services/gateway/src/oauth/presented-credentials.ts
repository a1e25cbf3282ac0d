import { formDecode } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { ErrorCode } from '@gatehouse/proto/errors'
import type { ClientCredentials } from '@gatehouse/proto/token/v1'

/** Where a client's credentials are in a request: HTTP Basic, or the form. */
export type CredentialSources = {
  headers: { authorization?: string | undefined }
  /** A form, of which nothing else counts. */
  body: unknown
}

type SentCredentials = { client_id?: string; client_secret?: string }

/**
 * Reads the credentials of a request (RFC 6749 section 2.3.1), in each way that they can be decoded. The token service
 * decides which of the readings is a client.
 * @returns one or two readings; none when there are no credentials
 * @throws Refusal invalid_client when the header is unreadable, invalid_request when header and form disagree
 */
export function presentedCredentials({ headers, body }: CredentialSources): ClientCredentials[] {
  const { authorization } = headers
  const { client_id: clientId, client_secret: clientSecret } = (body ?? {}) as SentCredentials
  if (authorization === undefined) {
    if (clientId === undefined && clientSecret === undefined) return []
    return [{ clientId: clientId ?? '', clientSecret: clientSecret ?? '' }]
  }
  const readings = basicCredentials(authorization).filter(
    (reading) =>
      (clientId === undefined || clientId === reading.clientId) &&
      (clientSecret === undefined || clientSecret === reading.clientSecret),
  )
  if (readings.length === 0) {
    throw new Refusal('invalid_request', 'The Authorization header and the form name different credentials.')
  }
  return readings
}

/** The errors that only an authenticated client can get. */
export const afterAuthentication: ReadonlySet<string> = new Set<ErrorCode>([
  'unauthorized_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
])

/**
 * Waits for the result of a client's request and notes the client for the log, but only once it has authenticated.
 * @param credentials the credentials that the request presents
 */
export async function logClientAfter<Result>(
  request: { clientId: string },
  credentials: readonly ClientCredentials[],
  result: Promise<Result>,
): Promise<Result> {
  const clientId = credentials[0]?.clientId ?? ''
  try {
    const answer = await result
    request.clientId = clientId
    return answer
  } catch (error) {
    if (error instanceof Refusal && afterAuthentication.has(error.code)) request.clientId = clientId
    throw error
  }
}

const basic = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i

function basicCredentials(authorization: string): ClientCredentials[] {
  const encoded = basic.exec(authorization)?.[1]
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon === -1 || text.includes('\0')) {
    throw new Refusal(
      'invalid_client',
      'The Authorization header is not Basic with a client_id and a client_secret.',
    )
  }
  const raw = { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) }
  // RFC 6749 section 2.3.1 requires both to be form-encoded, but many libraries send them as they are.
  const decoded = formDecoded(raw)
  if (decoded === undefined) return [raw]
  const same = decoded.clientId === raw.clientId && decoded.clientSecret === raw.clientSecret
  return same ? [raw] : [decoded, raw]
}

function formDecoded(raw: ClientCredentials): ClientCredentials | undefined {
  try {
    return { clientId: formDecode(raw.clientId), clientSecret: formDecode(raw.clientSecret) }
  } catch {
    return undefined
  }
}
