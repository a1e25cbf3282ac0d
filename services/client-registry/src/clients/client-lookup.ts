import type { Logger } from '@gatehouse/kit/telemetry/log'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { ClientStore, FoundClient } from './client.ts'

/** A secret or a key with which a client has authenticated. */
export type UsedSecret = {
  clientId: string
  /** SHA-256; of a key, its thumbprint (RFC 7638). */
  digest: Uint8Array
}

/** The needs of looking clients up. */
export type ClientLookupDeps = {
  store: Pick<ClientStore, 'find'>
  /** OAUTH2_CLIENT_METADATA_DOCUMENTS. */
  documentsEnabled: boolean
  /** Notes that clients with a metadata document are in use. */
  noteUse(clientIds: readonly string[]): Promise<void>
  /** Reads the metadata documents of clients again, where that is due. It takes its time, and never fails. */
  refreshDocuments(clients: readonly FoundClient[]): void
  /** Notes that clients have authenticated with these secrets. It takes its time, and never fails. */
  noteSecretUse(secrets: readonly UsedSecret[]): void
  /** The same with these keys. */
  noteKeyUse(keys: readonly UsedSecret[]): void
  log: Logger
}

/**
 * Looks clients up for the token service. Where metadata documents are switched off, clients that have one do not exist.
 * @returns the existing clients among these ids
 */
export async function lookUpClients(
  clientIds: readonly string[],
  { store, documentsEnabled, noteUse, refreshDocuments, log }: ClientLookupDeps,
): Promise<FoundClient[]> {
  const found = await store.find(clientIds.filter((id) => documentsEnabled || !isDocumentClientId(id)))
  const described = found.filter(({ clientId }) => isDocumentClientId(clientId))
  if (described.length > 0) {
    refreshDocuments(described)
    noteUse(described.map(({ clientId }) => clientId)).catch((error) =>
      log.warn({ err: error }, 'could not note that clients with metadata documents are in use'),
    )
  }
  return found
}
