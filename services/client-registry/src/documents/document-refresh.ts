import type { Logger } from '@gatehouse/kit/telemetry/log'
import { hasKeys } from '@gatehouse/proto/client-authentication'
import type { FoundClient } from '../clients/client.ts'
import type { ReadClientIdDocument } from './client-id-document-reading.ts'

/** In milliseconds: how often the document of a client that is in use is looked at, and how many clients are remembered. */
const lookedAtEvery = 30_000
const mostRemembered = 10_000

/** The needs of reading documents again. */
export type DocumentRefreshDeps = {
  /** Reads a document unless it is fresh. */
  read: ReadClientIdDocument
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number
  log: Logger
}

/**
 * Creates the reading again of documents whose clients are in use and sign with keys. Authorization requests read them as well, but a key
 * that a document no longer has must not count until the next one: whoever took it has refresh tokens enough to do without.
 * @returns a function that begins to read the documents of such clients, and does not wait
 */
export function createDocumentRefresh({ read, monotonicNow, log }: DocumentRefreshDeps) {
  const lookedAt = new Map<string, number>()
  return (clients: readonly Pick<FoundClient, 'clientId' | 'tokenEndpointAuthMethod'>[]): void => {
    for (const { clientId, tokenEndpointAuthMethod: method } of clients) {
      const now = monotonicNow()
      if (!hasKeys(method) || now - (lookedAt.get(clientId) ?? Number.NEGATIVE_INFINITY) < lookedAtEvery)
        continue
      lookedAt.delete(clientId)
      lookedAt.set(clientId, now)
      const [oldest] = lookedAt.keys()
      if (lookedAt.size > mostRemembered && oldest !== undefined) lookedAt.delete(oldest)
      read(clientId, undefined).catch((error) =>
        log.info({ clientId, reason: error.message }, 'the document of a client in use cannot be read again'),
      )
    }
  }
}
