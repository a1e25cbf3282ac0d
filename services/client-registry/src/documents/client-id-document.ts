import { Refusal } from '@gatehouse/kit/errors'
import {
  type ClientAuthenticationMethod,
  hasSecret,
  publicAuthenticationMethod,
} from '@gatehouse/proto/client-authentication'

/** A document, and how its client authenticates. */
export type ReadDocument = { document: Record<string, unknown>; method: ClientAuthenticationMethod }

/** Members with which the client would share a secret with this server, which a public document cannot. */
const secrets = ['client_secret', 'client_secret_expires_at']

/**
 * Reads a client ID metadata document (draft-ietf-oauth-client-id-metadata-document section 4.1).
 * @param body the answer of the server at the client_id
 * @param methods the methods of authentication that are on
 * @returns the document, whose fields obey no rule of registration yet
 * @throws Refusal invalid_client, which names the fault of the document
 */
export function readClientIdDocument(
  clientId: string,
  body: Buffer,
  methods: readonly ClientAuthenticationMethod[],
): ReadDocument {
  const document = parsed(body)
  // Simple string comparison (RFC 3986 section 6.2.1): nothing is normalized.
  if (document.client_id !== clientId)
    throw unusable('its client_id is not the address that it was read from')
  const secret = secrets.find((name) => Object.hasOwn(document, name))
  if (secret !== undefined) throw unusable(`it has the member ${secret}`)
  const { token_endpoint_auth_method: wanted = publicAuthenticationMethod, client_name: name = '' } = document
  const possible = methods.filter((one) => !hasSecret(one)).toReversed()
  const method = possible.find((one) => one === wanted)
  if (method === undefined) throw unusable(`its token_endpoint_auth_method must be ${possible.join(' or ')}`)
  const notHttps = Object.keys(document).find((key) => key.endsWith('_uri') && !isHttps(document[key]))
  if (notHttps !== undefined) throw unusable('each of its members that end in _uri must be an https:// URL')
  const { redirect_uris: uris } = document
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string'))
    throw unusable('its redirect_uris must be a list of texts')
  if (typeof name !== 'string') throw unusable('its client_name must be a text')
  return { document, method }
}

/**
 * Runs a check of registration on a document.
 * @throws Refusal invalid_client in place of a Refusal of the check
 */
export function asDocumentFault<Result>(check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    if (error instanceof Refusal) throw unusable(error.description.replace(/\.$/, ''))
    throw error
  }
}

/** The refusal of a document. @param fault the fault of the document, without a period */
export function unusable(fault: string, cause?: unknown): Refusal {
  return new Refusal(
    'invalid_client',
    `The client metadata document at the client_id cannot be used: ${fault}.`,
    { cause },
  )
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // The parser's message quotes the document.
  }
  throw unusable('it must be a JSON object')
}

function isHttps(value: unknown): boolean {
  return typeof value === 'string' && /^https:\/\/[\x21-\x7e]+$/.test(value) && URL.canParse(value)
}
