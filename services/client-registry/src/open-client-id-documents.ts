import type { ServiceDatabase } from '@gatehouse/data/service-database'
import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import { repeat, untilDone } from '@gatehouse/kit/time/repeat'
import { enabledAuthenticationMethods } from '@gatehouse/proto/client-authentication'
import { enabledGrantTypes, grantsWhere } from '@gatehouse/proto/grants'
import type { ClientChangeDeps } from './changes/client-change.ts'
import type { RedirectUriRules } from './clients/redirect-uri.ts'
import { type ClientRegistryConfig, documentScope } from './config.ts'
import {
  createClientIdDocumentReading,
  type DocumentClientPolicy,
  type DocumentReading,
} from './documents/client-id-document-reading.ts'
import { createDocumentRefresh } from './documents/document-refresh.ts'
import { createFetchBudget } from './documents/fetch-budget.ts'
import { createClientIdDocumentStore } from './store/client-id-documents.ts'

/** In milliseconds. */
const applyEvery = 600_000
const retryEvery = 1_000
/** In milliseconds. The whole chain of calls must end before the gateway gives up, which is after 5 s. */
const fetchTimeout = 4_000

/** The needs of openClientIdDocuments. */
type Wiring = {
  database: ServiceDatabase
  clients: ClientChangeDeps['store']
  deliver: ClientChangeDeps['deliver']
  redirectUriRules: RedirectUriRules
  openResourceScopes(): Promise<string[]>
  counted(outcome: DocumentReading): void
}

/** Wires the reading of client ID metadata documents and the policy for such clients. */
export async function openClientIdDocuments(
  context: ProcessContext<ClientRegistryConfig>,
  { database, clients, deliver, redirectUriRules, openResourceScopes, counted }: Wiring,
) {
  const { config, log } = context
  const documents = createClientIdDocumentStore(database)
  const enabled = config.OAUTH2_CLIENT_METADATA_DOCUMENTS
  const policy = async () => policyOf(config, await openResourceScopes())
  const applyPolicy = async () => {
    if (enabled) await documents.applyPolicy(await policy())
  }
  const applying = 'applying the scopes of clients with metadata documents'
  await untilDone(context, applying, retryEvery, applyPolicy)
  const fetcher = createFetcher({
    rule: addressRule(config.OAUTH2_FETCH_ALLOWED_NETWORKS),
    timeoutMs: fetchTimeout,
  })
  context.onShutdown(fetcher.close)
  repeat(context, applying, applyEvery, applyPolicy)
  const monotonicNow = () => performance.now()
  const read = createClientIdDocumentReading({
    enabled,
    documents,
    deliver,
    fetcher,
    policy,
    redirectUriRules,
    methods: enabledAuthenticationMethods(config),
    counted,
    log,
    clients,
    takePlace: createFetchBudget(monotonicNow),
    monotonicNow,
  })
  const resourceServersChanged = () =>
    applyPolicy().catch((error) => log.warn({ err: error }, `${applying} failed; will be tried again`))
  return {
    documents,
    read,
    refreshDocuments: createDocumentRefresh({ read, monotonicNow, log }),
    resourceServersChanged,
  }
}

/** Gives clients with metadata documents the code flow, and refreshing where it is on. */
function policyOf(config: ClientRegistryConfig, ofResources: readonly string[]): DocumentClientPolicy {
  const enabled = enabledGrantTypes(config)
  const ofUsers = grantsWhere(
    ({ redirects, tokensOf, confidential }) => !confidential && (redirects || tokensOf === 'continued'),
  )
  return {
    scope: documentScope(config, ofResources),
    grantTypes: ofUsers.filter((grant) => enabled.includes(grant)),
  }
}
