import { longestDocumentClientId } from '@gatehouse/proto/client-id-documents'

/** Every character that a URI may have (RFC 3986 section 2). The URL parser would repair or drop some of the others. */
const uriCharacters = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/

/** Scheme, authority and path; then a query. The scheme must be in lower case, as the text itself is compared. */
const parts = /^https:\/\/([^/?#]*)(\/[^?#]*)(?:\?[^#]*)?$/

/** A segment of a path that is `.` or `..`, also percent-encoded (RFC 3986 section 3.3, WHATWG URL "single-dot path segment"). */
const dotSegment = /^(\.|%2e){1,2}$/i

/** A host and perhaps a port, with nothing that the URL parser would decode. */
const hostAndPort = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/**
 * Whether a client_id may be the address of a client ID metadata document
 * (draft-ietf-oauth-client-id-metadata-document section 2). The text is judged before any parser normalizes it.
 * @returns the fault of the client_id, as the end of "The client_id …", or undefined
 */
export function clientIdUrlFault(clientId: string): string | undefined {
  if (clientId.length > longestDocumentClientId) return `is longer than ${longestDocumentClientId} characters`
  if (!uriCharacters.test(clientId)) return 'has a character that a URI cannot have'
  if (clientId.includes('#')) return 'has a fragment'
  if (/%(?![\da-f]{2})/i.test(clientId)) return 'has a malformed percent-encoding'
  const [whole, authority = '', path = ''] = parts.exec(clientId) ?? []
  if (whole === undefined) return 'must be an https:// URL with a host and a path'
  if (authority.includes('@')) return 'has a user name or password in it'
  if (path.split('/').some((segment) => dotSegment.test(segment))) return 'has a dot segment in its path'
  if (!hostAndPort.test(authority) || !URL.canParse(clientId)) return 'has a host or port that is not valid'
  return undefined
}
