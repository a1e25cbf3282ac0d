import { hash, timingSafeEqual } from 'node:crypto'
import type { App } from '@gatehouse/http/app'
import { formDecode } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import { isStorable } from '@gatehouse/kit/storable'
import { jwtBearerAssertion, longestAssertion } from '@gatehouse/proto/client-authentication'
import { longestDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { ErrorCode } from '@gatehouse/proto/errors'
import type { ClientCredentials, Presented } from '@gatehouse/proto/token/v1'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The last result of presentedIn, and the body that it read. */
    presentedReading?: Found | undefined
  }
}

/** The places in a request where its sender presents who they are. The body is a form; undefined before it was read. */
type Source = Pick<FastifyRequest, 'headers' | 'body'> & Partial<Pick<FastifyRequest, 'clientCertificate'>>

/** Everything that a request presents. */
export type Reading = {
  presented: Presented
  /** Why its credentials do not count, where there is a reason: the readings in `presented` are then only those of the same client_id. */
  fault: keyof typeof faults | undefined
}
type Found = { body: unknown; reading: Reading }

const faults = {
  unreadable: {
    code: 'invalid_client',
    description: 'The Authorization header is not Basic with a client_id and a client_secret.',
  },
  different: {
    code: 'invalid_request',
    description: 'The Authorization header and the form name different credentials.',
  },
  untyped: {
    code: 'invalid_request',
    description: `client_assertion and client_assertion_type belong together, and the type must be ${jwtBearerAssertion}.`,
  },
  several: {
    code: 'invalid_request',
    description: 'Authenticate by one method only: a secret or client_assertion.',
  },
} as const satisfies Record<string, { code: ErrorCode; description: string }>

/**
 * Everything that a request presents, valid or not. It is read once before the body is there, if anybody asks, and once after that.
 */
export function presentedIn(request: Source & { presentedReading?: Found | undefined }): Reading {
  const { body } = request
  if (request.presentedReading === undefined || request.presentedReading.body !== body)
    request.presentedReading = { body, reading: readAll(request) }
  return request.presentedReading.reading
}

/**
 * Everything that the request of a client presents, whose credentials can be read. The token service decides which of the readings is a
 * client.
 * @throws Refusal invalid_client when the header is unreadable, invalid_request when header and form disagree
 */
export function presentedBy(request: Source): Presented {
  const { presented, fault } = presentedIn(request)
  if (fault !== undefined) throw new Refusal(faults[fault].code, faults[fault].description)
  return presented
}

/** Leaves assertions out of the forms of a scope, where no method needs them: unknown parameters are ignored (RFC 6749 section 3.2). */
export function ignoreAssertions(scope: App): void {
  scope.addHook('preValidation', async ({ body }) => {
    const form = (body ?? {}) as AssertionForm
    delete form.client_assertion
    delete form.client_assertion_type
  })
}

/** The bearer token that a request presents in its header (RFC 6750 section 2.1); undefined when there is none. */
export function bearerTokenIn(request: Source): string | undefined {
  return presentedIn(request).presented.token?.token
}

/** Whether a request presents a token as its bearer token, compared in constant time. */
export function presentsToken(request: Source, token: string): boolean {
  const presented = bearerTokenIn(request)
  // Compares digests, because timingSafeEqual needs two buffers of the same length.
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return presented !== undefined && timingSafeEqual(digest(presented), digest(token))
}

/** The certificate of the caller (RFC 8705), and everything else. */
function readAll(request: Source): Reading {
  const { presented, fault } = read(request)
  const certificate = request.clientCertificate
  return { presented: certificate ? { ...presented, certificate } : presented, fault }
}

/**
 * Reads the credentials of a client (RFC 6749 section 2.3.1) in each way that they can be decoded, a token (RFC 6750 section 2.1), and an
 * assertion (RFC 7521 section 4.2).
 */
function read(source: Source): Reading {
  const reading = readCredentials(source)
  const form = (source.body ?? {}) as AssertionForm
  const { client_assertion: assertion, client_assertion_type: assertionType } = form
  if (assertion === undefined && assertionType === undefined) return reading
  // The readings of the same client stay, for limits and logs.
  if (assertion === undefined || assertionType !== jwtBearerAssertion) return { ...reading, fault: 'untyped' }
  if (source.headers.authorization !== undefined || form.client_secret !== undefined)
    return { ...reading, fault: 'several' }
  const clientId = form.client_id ?? subjectOf(assertion)
  const presented = { credentials: [{ clientId, clientSecret: '' }], assertion, assertionType }
  return { presented, fault: undefined }
}

type AssertionForm = {
  client_id?: string
  client_secret?: string
  client_assertion?: string
  client_assertion_type?: string
}

/** The client that an assertion names, which nobody has verified yet; empty where it names none, or none whose id can be so long. */
function subjectOf(assertion: string): string {
  if (assertion.length > longestAssertion) return ''
  try {
    const payload: unknown = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString())
    const { sub } = Object(payload) as { sub?: unknown }
    return isStorable(sub) && sub.length <= longestDocumentClientId ? sub : ''
  } catch {
    return ''
  }
}

function readCredentials({ headers: { authorization }, body }: Source): Reading {
  const form = (body ?? {}) as { client_id?: string; client_secret?: string }
  const { client_id: clientId, client_secret: clientSecret } = form
  if (authorization === undefined) {
    const isEmpty = clientId === undefined && clientSecret === undefined
    const inForm = { clientId: clientId ?? '', clientSecret: clientSecret ?? '' }
    return { presented: { credentials: isEmpty ? [] : [inForm] }, fault: undefined }
  }
  const token = bearer.exec(authorization)?.[1]
  const inHeader = token === undefined ? basicCredentials(authorization) : undefined
  if (inHeader === undefined) {
    const presented = {
      credentials: [],
      token: token === undefined ? undefined : { token, scheme: 'bearer' },
    }
    return { presented, fault: 'unreadable' }
  }
  const ofClient = inHeader.filter((one) => clientId === undefined || clientId === one.clientId)
  const agreeing = ofClient.filter((one) => clientSecret === undefined || clientSecret === one.clientSecret)
  return agreeing.length > 0
    ? { presented: { credentials: agreeing }, fault: undefined }
    : { presented: { credentials: ofClient }, fault: 'different' }
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
 * @param presented the credentials that the request presents
 */
export async function logClientAfter<Result>(
  request: { clientId: string | undefined },
  { credentials }: Presented,
  result: Promise<Result>,
): Promise<Result> {
  const clientId = credentials[0]?.clientId
  try {
    const answer = await result
    request.clientId = clientId
    return answer
  } catch (error) {
    if (error instanceof Refusal && afterAuthentication.has(error.code)) request.clientId = clientId
    throw error
  }
}

const bearer = /^Bearer +(\S+) *$/i
const basic = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i

/** @returns one or two readings; undefined for another header */
function basicCredentials(authorization: string): ClientCredentials[] | undefined {
  const encoded = basic.exec(authorization)?.[1]
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon === -1 || text.includes('\0')) return undefined
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
