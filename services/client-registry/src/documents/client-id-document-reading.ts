import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { type Document, type Fetcher, ServerUnavailable } from '@gatehouse/kit/fetch/guarded-fetch'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { ClientAuthenticationMethod } from '@gatehouse/proto/client-authentication'
import { type ClientColumns, columnsIn } from '@gatehouse/proto/client-columns'
import { hostOfDocumentClientId } from '@gatehouse/proto/client-id-documents'
import { type ClientChangeDeps, changesOf, deliverChange } from '../changes/client-change.ts'
import { decideMetadata, metadataWriters } from '../clients/metadata-rules.ts'
import type { RedirectUriRules } from '../clients/redirect-uri.ts'
import { asDocumentFault, readClientIdDocument, unusable } from './client-id-document.ts'
import { clientIdUrlFault } from './client-id-url.ts'
import { documentLifetime } from './document-lifetime.ts'
import type { FetchBudget, Reading } from './fetch-budget.ts'

/** Stores when documents were read. */
export type ClientIdDocumentStore = {
  /**
   * Whether the document must be read: it need not while it is `fresh`, or its client is disabled. For a day after that it is
   * `stale`: its client goes on as it is known if the document cannot be read now (RFC 5861 section 4).
   */
  stateOf(clientId: string): Promise<'unknown' | 'expired' | 'stale' | 'fresh'>
  /** Notes that the document of an existing client was read. @param lifetime how long it is fresh, in seconds */
  noteReading(clientId: string, lifetime: number): Promise<void>
}

/** The scope and the grants that every client with a metadata document may have: the server decides, whatever the document says. */
export type DocumentClientPolicy = { scope: string; grantTypes: string[] }

/** How the reading of a document may end. A document that is fresh is not read. */
export const documentReadings = ['changed', 'unchanged', 'refused', 'failed'] as const

/** How the reading of a document ended: it was refused because too many were read, or it failed or was invalid. */
export type DocumentReading = (typeof documentReadings)[number]

/** The needs of reading documents. */
export type ClientIdDocumentDeps = {
  /** OAUTH2_CLIENT_METADATA_DOCUMENTS. */
  enabled: boolean
  documents: ClientIdDocumentStore
  clients: Pick<ClientChangeDeps['store'], 'create' | 'change'>
  deliver: ClientChangeDeps['deliver']
  fetcher: Pick<Fetcher, 'get'>
  takePlace: FetchBudget
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number
  policy(): Promise<DocumentClientPolicy>
  redirectUriRules: RedirectUriRules
  /** The methods of authentication that are on. */
  methods: readonly ClientAuthenticationMethod[]
  counted(outcome: DocumentReading): void
  log: Logger
}

/**
 * Reads the document of a client. Concurrent calls for the same client share one request.
 * @param ipAddress the address of the user's browser
 */
export type ReadClientIdDocument = (
  clientId: string,
  ipAddress: string | undefined,
) => Promise<{ changed: boolean }>

/** How long a stale document that could not be read is not tried again, in milliseconds, and how many are remembered. */
const triedEvery = 60_000
const mostUnavailable = 10_000

/**
 * Creates the reading of client ID metadata documents (draft-ietf-oauth-client-id-metadata-document). A valid document becomes a
 * client like any other, as long as its Cache-Control says, within bounds. Errors and invalid documents are not remembered.
 * @returns the function that reads a document unless the stored state of it is fresh. It throws a Refusal: invalid_client when the
 *   client_id cannot be such an address, or the document cannot be read or is invalid; temporarily_unavailable when too many
 *   documents were read in the last minute. A client that was known a day ago goes on while its server or this one cannot read.
 */
export function createClientIdDocumentReading(deps: ClientIdDocumentDeps): ReadClientIdDocument {
  const reading = new Map<string, Promise<{ changed: boolean }>>()
  const unavailableUntil = new Map<string, number>()

  function begin(clientId: string, goesOn: boolean, place: Reading): Promise<{ changed: boolean }> {
    const shared = countedRead(clientId, place, deps)
      .catch((error) => {
        if (!goesOn || !(error instanceof ServerUnavailable)) throw explained(error)
        unavailableUntil.set(clientId, deps.monotonicNow() + triedEvery)
        const [oldest] = unavailableUntil.keys()
        if (unavailableUntil.size > mostUnavailable && oldest !== undefined) unavailableUntil.delete(oldest)
        return { changed: false }
      })
      .finally(() => reading.delete(clientId))
    reading.set(clientId, shared)
    return shared
  }

  return async (clientId, ipAddress) => {
    if (!deps.enabled) throw new Refusal('invalid_client', 'No client has this client_id.')
    const fault = clientIdUrlFault(clientId)
    if (fault !== undefined) throw new Refusal('invalid_client', `The client_id ${fault}.`)
    const state = await deps.documents.stateOf(clientId)
    const goesOn = state === 'stale'
    if (state === 'fresh') return { changed: false }
    if (goesOn && (unavailableUntil.get(clientId) ?? 0) > deps.monotonicNow()) return { changed: false }
    unavailableUntil.delete(clientId)
    const shared = reading.get(clientId)
    if (shared) return shared
    const place = deps.takePlace(hostOfDocumentClientId(clientId), ipAddress)
    if (place) return begin(clientId, goesOn, place)
    deps.counted('refused')
    if (goesOn) return { changed: false }
    throw tooMany()
  }
}

async function countedRead(
  clientId: string,
  place: Reading,
  deps: ClientIdDocumentDeps,
): Promise<{ changed: boolean }> {
  let answered = false
  try {
    const document = await fetchDocument(clientId, deps)
    answered = true
    const read = await take(clientId, document, deps)
    deps.counted(read.changed ? 'changed' : 'unchanged')
    return read
  } catch (error) {
    answered ||= !(error instanceof ServerUnavailable)
    deps.counted('failed')
    throw error
  } finally {
    place.end(answered ? 'answered' : 'unavailable')
  }
}

/** Stores what a document says. @throws Refusal invalid_client */
async function take(
  clientId: string,
  { headers, body }: Document,
  deps: ClientIdDocumentDeps,
): Promise<{ changed: boolean }> {
  const { redirectUriRules, methods } = deps
  const { method: tokenEndpointAuthMethod, document } = readClientIdDocument(clientId, body, methods)
  const sent = columnsIn(document)
  const given = { ...(await deps.policy()), tokenEndpointAuthMethod }
  const defaults = { client_name: hostOfDocumentClientId(clientId) }
  const changed = await store(
    clientId,
    (before) =>
      asDocumentFault(() =>
        decideMetadata(
          { writer: 'document', before, sent, defaults, given },
          { redirectUriRules, openid: true, methods, scopes: 'any' },
        ),
      ),
    deps,
  )
  await deps.documents.noteReading(clientId, documentLifetime(headers))
  return { changed }
}

/** @throws ServerUnavailable; Refusal invalid_client for an answer that is not taken */
async function fetchDocument(clientId: string, { fetcher, log }: ClientIdDocumentDeps): Promise<Document> {
  const takesType = (type: string) => /^application\/(json|[a-z\d!#$&^_.+-]+\+json)$/.test(type)
  return fetcher.get(new URL(clientId), { takesType }).catch((error: Error) => {
    // The operator reads why. A stranger must not learn which addresses and ports this server can reach.
    log.info({ clientId, reason: error.message }, 'a client metadata document cannot be read')
    throw error instanceof ServerUnavailable ? error : unreadable(error)
  })
}

const unreadable = (cause: Error) => unusable('it cannot be read', cause)

const explained = (error: Error) => (error instanceof ServerUnavailable ? unreadable(error) : error)

function tooMany(): Refusal {
  return new Refusal(
    'temporarily_unavailable',
    'Too many client metadata documents were read in the last minute. Try again in a minute.',
    { retryAfter: 60 },
  )
}

/** @returns whether the client is new or has changed */
async function store(
  clientId: string,
  metadataFor: (before: ClientColumns | undefined) => ClientColumns,
  { clients, deliver }: ClientIdDocumentDeps,
): Promise<boolean> {
  const actor: Actor = { kind: 'client', id: clientId, name: clientId, ipAddress: '' }
  const change = () => clients.change(clientId, (client) => changesOf(client, metadataFor(client)), actor)
  const existing = await change()
  if (existing === undefined) {
    const client = { clientId, ...metadataFor(undefined), createdBy: metadataWriters.document }
    await clients
      // No name is claimed: the id is an address, and the client gets tokens of users only, never one whose `sub` it is.
      .create(client, undefined, actor, undefined)
      .catch(async (error: unknown) => {
        // Another replica created it meanwhile.
        if ((await change()) === undefined) throw error
      })
    return true
  }
  await deliverChange(existing, deliver)
  return existing.pending.length > 0
}
