/**
 * The longest client_id that may be the address of a client ID metadata document, in characters. Logins are recorded with as much
 * of a client_id.
 */
export const longestDocumentClientId = 255

/**
 * Whether a client_id is the address of a client ID metadata document (draft-ietf-oauth-client-id-metadata-document). No
 * client_id that this server generates begins like one.
 */
export function isDocumentClientId(clientId: string): boolean {
  return clientId.startsWith('https://')
}

/**
 * The host of a client ID metadata document, with its port if it has one, as people see it.
 * @param clientId a valid address of a document
 */
export function hostOfDocumentClientId(clientId: string): string {
  return URL.parse(clientId)?.host ?? clientId
}

const generatedId = /^client_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Whether this server gave a client its id. Such an id is never used again, unless nobody had used the client or it deleted itself. One
 * that a client brought along, or the address of its metadata document, may come back after the client was deleted.
 */
export function isGeneratedClientId(clientId: string): boolean {
  return generatedId.test(clientId)
}
