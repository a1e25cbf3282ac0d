import { randomBytes, randomUUID } from 'node:crypto'
import { auditRpcs } from '@gatehouse/data/audit-list'
import { createCleaning } from '@gatehouse/data/cleaning'
import { createElection } from '@gatehouse/data/election'
import { deleteExpiredRows } from '@gatehouse/data/expired-rows'
import { createNameClaims } from '@gatehouse/data/name-claims'
import { askForNamesOver } from '@gatehouse/data/released-unasked-names'
import { startDelivery } from '@gatehouse/data/revocation-delivery'
import { changeNothing, openServiceDatabase, type ServiceDatabase } from '@gatehouse/data/service-database'
import { addressRule } from '@gatehouse/kit/address-rule'
import { connect } from '@gatehouse/kit/connect'
import { type Emit, emitNothing, openEmission } from '@gatehouse/kit/emission'
import { createFetcher } from '@gatehouse/kit/guarded-fetch'
import { cleanUpMetric } from '@gatehouse/kit/metrics'
import { type ProcessContext, runProcess } from '@gatehouse/kit/process'
import { repeat, untilDone } from '@gatehouse/kit/repeat'
import { serve } from '@gatehouse/kit/service'
import { enabledGrantTypes, grantsWhere } from '@gatehouse/proto/grants'
import { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { profileBehaviour } from '@gatehouse/proto/profiles'
import { openScopesOf } from '@gatehouse/proto/resource-servers'
import { TokenServiceService } from '@gatehouse/proto/token/v1'
import type { ClientChangeDeps } from './client-change.ts'
import { createClientCount } from './client-count.ts'
import {
  createClientIdDocumentReading,
  type DocumentClientPolicy,
  type DocumentReading,
} from './client-id-document-reading.ts'
import { type ClientRegistryConfig, clientRegistryConfig, documentScope } from './config.ts'
import { createFetchBudget } from './fetch-budget.ts'
import { clientRegistryMetrics } from './metrics.ts'
import type { RedirectUriRules } from './redirect-uri.ts'
import { clientRegistryRpcs } from './rpc.ts'
import { createClientChangeStore, findChange } from './store/client-changes.ts'
import { createClientIdDocumentStore, type StoredClientIdDocuments } from './store/client-id-documents.ts'
import { clientNames, createClientIdStore } from './store/client-ids.ts'
import { createClientListStore } from './store/client-list.ts'
import { createClientOriginStore } from './store/client-origins.ts'
import { createClientStore } from './store/clients.ts'
import { createRegistrationTokenStore } from './store/registration-tokens.ts'
import { createResourceServerChangeStore } from './store/resource-server-changes.ts'
import { createResourceServerStore } from './store/resource-servers.ts'
import { createSecretUseStore } from './store/secret-uses.ts'
import { createUnusedRegistrationStore, deleteSystemEntries } from './store/unused-registrations.ts'
import { createUnusedRegistrationCleaning, type UnusedRegistrationDeps } from './unused-registrations.ts'

/** In milliseconds. */
const countEvery = 30_000
const cleanEvery = 600_000
const cleanAfter = 5_000
const retryEvery = 1_000
/** In milliseconds. The whole chain of calls must end before the gateway gives up, which is after 5 s. */
const fetchTimeout = 4_000
const identityTimeout = 2_000
const tokenTimeout = 3_000

type Context = ProcessContext<ClientRegistryConfig>

const nameReservations = {
  name: 'clients.name_reservations',
  key: 'reservation_id, name',
  ends: 'expires_at',
}

await runProcess('client-registry', clientRegistryConfig, async (context) => {
  const emit = openEmission(context)
  const database = await openServiceDatabase(context)
  const store = createClientStore(database)
  const election = createElection(database.pool, 'client count')
  const metrics = clientRegistryMetrics(context.registry)
  const count = createClientCount({
    isElected: election.isElected,
    countClients: store.count,
    setTotal: metrics.setTotal,
  })
  await count().catch((error) => context.log.warn({ err: error }, 'counting failed; will be tried again'))
  context.onShutdown(election.resign)
  repeat(context, 'counting the clients', countEvery, count)

  const redirectUriRules = {
    bareSchemes: profileBehaviour.bareRedirectSchemes[context.config.OAUTH2_PROFILE],
  }
  const resourceServers = createResourceServerStore(database)
  const making = {
    redirectUriRules,
    scopesSupported: new Set(context.config.OAUTH2_SCOPES_SUPPORTED.split(' ')),
    publicClients: context.config.OAUTH2_PUBLIC_CLIENTS_ENABLED,
    openid: context.config.OAUTH2_OPENID_ENABLED,
    randomUuid: randomUUID,
    randomBytes,
  }
  const openResourceScopes =
    context.config.OAUTH2_RESOURCE_INDICATORS === 'registered'
      ? async () => openScopesOf(await resourceServers.all())
      : async () => []
  const deliver = startDelivery(context, {
    database,
    schema: 'clients',
    tokenTarget: context.config.OAUTH2_TOKEN_ADDR,
    findClient: findChange,
  })
  // What clients change themselves is in the audit log too, but is no event of an administrator.
  const noteSecretUse = createSecretUseStore(database)
  const ownChanges = createClientChangeStore(database, emitNothing)
  const { documents, read, resourceServersChanged } = await openClientIdDocuments(context, {
    database,
    clients: ownChanges,
    deliver,
    redirectUriRules,
    emit,
    openResourceScopes,
    counted: metrics.documentRead,
  })
  const token = connect(context, TokenServiceService, context.config.OAUTH2_TOKEN_ADDR, tokenTimeout)
  const identity = connect(
    context,
    IdentityServiceService,
    context.config.OAUTH2_IDENTITY_ADDR,
    identityTimeout,
  )
  startCleaning(context, {
    ...{ database, documents, deliver, emit },
    isElected: election.isElected,
    findUsed: [token, identity].map(
      (service) => async (clientIds) =>
        (await service.findUsedClients({ clientIds: [...clientIds] })).clientIds,
    ),
  })
  const changes = {
    ...making,
    names: createNameClaims(database, 'clients', askForNamesOver(identity)),
    forgetClients: async (clientIds: readonly string[]) => {
      const request = { clientIds: [...clientIds] }
      await Promise.all([token.forgetClients(request), identity.forgetClients(request)])
    },
    store: createClientChangeStore(database, emit),
    ids: createClientIdStore(database),
    deliver,
    emit,
  }
  const admin = {
    list: createClientListStore(database),
    changes,
    imports: {
      ...changes,
      resourceScopes: async () =>
        (await resourceServers.all()).flatMap(({ scopes }) => scopes.map(({ scope }) => scope)),
      grantTypes: enabledGrantTypes(context.config),
      now: Date.now,
    },
  }
  const registering = {
    ...making,
    full: profileBehaviour.substitutesClientMetadata[context.config.OAUTH2_PROFILE],
    open: context.config.OAUTH2_REGISTRATION === 'open',
    grantTypes: enabledGrantTypes(context.config),
    openResourceScopes,
    emit,
  }
  await serve(context, {
    implementations: [
      clientRegistryRpcs({
        registration: { ...registering, store },
        registered: {
          ...registering,
          tokens: createRegistrationTokenStore(database),
          clients: store,
          list: admin.list,
          store: ownChanges,
          deliver,
        },
        lookup: {
          store,
          documentsEnabled: context.config.OAUTH2_CLIENT_METADATA_DOCUMENTS,
          noteUse: documents.noteUse,
          noteSecretUse: (secrets) =>
            void noteSecretUse(secrets).catch((error) =>
              context.log.warn({ err: error }, 'could not note which secrets are in use'),
            ),
          log: context.log,
        },
        readClientIdDocument: read,
        origins: createClientOriginStore(database, context.config.OAUTH2_REGISTRATION === 'open'),
        findTakenNames: clientNames(database),
        admin,
        resourceServers: {
          store: resourceServers,
          clients: admin.list,
          changes: {
            store: createResourceServerChangeStore(database, emit),
            deliver,
            changed: resourceServersChanged,
            issuer: context.config.OAUTH2_SERVER_PUBLIC_BASE_URL,
          },
        },
      }),
      auditRpcs(database, 'clients'),
    ],
    probeDatabase: database.probeOf(changeNothing('clients.clients', 'client_name')),
  })
})

/** What openClientIdDocuments needs. */
type Wiring = {
  database: ServiceDatabase
  clients: ClientChangeDeps['store']
  deliver: ClientChangeDeps['deliver']
  redirectUriRules: RedirectUriRules
  openResourceScopes(): Promise<string[]>
  counted(outcome: DocumentReading): void
  emit: Emit
}

/** Wires the reading of client ID metadata documents and the policy for such clients. */
async function openClientIdDocuments(
  context: Context,
  { database, clients, deliver, redirectUriRules, openResourceScopes, counted, emit }: Wiring,
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
  repeat(context, applying, cleanEvery, applyPolicy)
  const monotonicNow = () => performance.now()
  const read = createClientIdDocumentReading({
    enabled,
    documents,
    deliver,
    fetcher,
    policy,
    redirectUriRules,
    counted,
    emit,
    log,
    clients,
    takePlace: createFetchBudget(monotonicNow),
    monotonicNow,
  })
  const resourceServersChanged = () =>
    applyPolicy().catch((error) => log.warn({ err: error }, `${applying} failed; will be tried again`))
  return { documents, read, resourceServersChanged }
}

/** What startCleaning needs. */
type CleaningWiring = Pick<UnusedRegistrationDeps, 'findUsed' | 'deliver' | 'emit'> & {
  database: ServiceDatabase
  documents: StoredClientIdDocuments
  isElected(): Promise<boolean>
}

/** Deletes what is no longer needed, soon after the start and again and again. */
function startCleaning(context: Context, { database, documents, isElected, ...wiring }: CleaningWiring) {
  const { config, log, stopping } = context
  const days = config.OAUTH2_UNUSED_REGISTRATION_DAYS
  const deleteUnused = createUnusedRegistrationCleaning({
    ...{ ...wiring, log },
    store: createUnusedRegistrationStore(database, days),
    isStopping: () => stopping.aborted,
  })
  const clean = createCleaning({
    isElected,
    parts: {
      clients_with_documents: documents.deleteUnused,
      name_reservations: () => deleteExpiredRows(database, nameReservations),
      system_audit_entries: () => deleteSystemEntries(database),
      ...(days > 0 && { unused_registrations: deleteUnused }),
    },
    cleanedUp: cleanUpMetric(context.registry),
    log,
  })
  const pauses = [cleanAfter].values()
  repeat(context, 'deleting clients that nobody uses', () => pauses.next().value ?? cleanEvery, clean)
}

/** What clients with metadata documents may have: the code flow, and refreshing where it is on. */
function policyOf(config: ClientRegistryConfig, ofResources: readonly string[]): DocumentClientPolicy {
  const enabled = enabledGrantTypes(config)
  const ofUsers = grantsWhere(
    ({ redirects, tokensOf, needsSecret }) => !needsSecret && (redirects || tokensOf === 'continued'),
  )
  return {
    scope: documentScope(config, ofResources),
    grantTypes: ofUsers.filter((grant) => enabled.includes(grant)),
  }
}
