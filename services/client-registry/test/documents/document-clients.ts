import { keepNothing } from '@gatehouse/data/pending-events'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { createClientIdDocumentReading } from '../../src/documents/client-id-document-reading.ts'
import { createClientChangeStore } from '../../src/store/client-changes.ts'
import { createClientIdDocumentStore } from '../../src/store/client-id-documents.ts'
import type { useReplicas } from '../registry.ts'

/** The ceiling of such clients. */
export const policy = { scope: 'read profile', grantTypes: ['authorization_code', 'refresh_token'] }

/** Makes a function that makes clients with a document, each with a reading of documents that gets what the test says. */
export function documentClients(shared: Pick<ReturnType<typeof useReplicas>, 'replica' | 'query'>) {
  let counter = 0
  return function someDocument(changes: Record<string, unknown> = {}, replica = shared.replica()) {
    counter += 1
    const clientId = `https://app${counter}.example/client`
    const state = {
      document: {
        client_id: clientId,
        client_name: 'Editor',
        redirect_uris: ['https://app.example/cb'],
        ...changes,
      } as Record<string, unknown>,
      body: undefined as string | undefined,
      headers: { 'cache-control': 'max-age=600' } as Record<string, string>,
      failure: undefined as Error | undefined,
      fetches: 0,
      outcomes: [] as string[],
      policy,
      enabled: true,
      mayFetch: true,
      now: 0,
      gate: undefined as Promise<void> | undefined,
      places: [] as [ipAddress: string | undefined, outcome: string][],
    }
    const documents = createClientIdDocumentStore(replica.database)
    const { log, lines } = recordedLog()
    const reading = () =>
      createClientIdDocumentReading({
        ...{
          documents,
          deliver: replica.changes.deliver,
          emit: emitNothing,
          log,
          policy: async () => state.policy,
          counted: (outcome) => void state.outcomes.push(outcome),
        },
        enabled: state.enabled,
        clients: createClientChangeStore(replica.database, keepNothing, { own: true }),
        takePlace: (_host, ipAddress) =>
          state.mayFetch ? { end: (outcome) => void state.places.push([ipAddress, outcome]) } : undefined,
        monotonicNow: () => state.now,
        redirectUriRules: { bareSchemes: false },
        methods: ['client_secret_basic', 'private_key_jwt', 'none'],
        fetcher: {
          get: async () => {
            state.fetches += 1
            await state.gate
            if (state.failure) throw state.failure
            return { headers: state.headers, body: Buffer.from(state.body ?? JSON.stringify(state.document)) }
          },
        },
      })
    const read = () => reading()(clientId, '192.0.2.1')
    const find = async () => (await replica.store.find([clientId]))[0]
    const expire = (hoursAgo = 0) =>
      shared.query(
        'update clients.client_id_documents set fresh_until = now() - make_interval(hours => $2) where client_id = $1',
        [clientId, hoursAgo],
      )
    return { clientId, state, reading, read, find, expire, documents, lines }
  }
}
