import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { hostOfDocumentClientId, isDocumentClientId } from '@gatehouse/proto/client-id-documents'

/**
 * The name that people see for a client. A client that registered before names had to be visible may have an invisible
 * one; its id is shown instead. The name of a client with a metadata document is only what it says of itself, so the host of
 * the document is shown with it (draft-ietf-oauth-client-id-metadata-document section 6.4).
 */
export function shownName({ clientId, clientName }: { clientId: string; clientName: string }): string {
  const name = visibleTextFault(clientName) === undefined ? clientName : clientId
  const host = isDocumentClientId(clientId) ? hostOfDocumentClientId(clientId) : name
  return host === name ? name : `${name} (${host})`
}
