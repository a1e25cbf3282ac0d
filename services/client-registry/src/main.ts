import { randomBytes, randomUUID } from 'node:crypto'
import { auditRpcs } from '@gatehouse/data/audit-list'
import { createElection } from '@gatehouse/data/election'
import { createNameClaims } from '@gatehouse/data/name-claims'
import { startEventDelivery } from '@gatehouse/data/pending-events'
import { startDelivery } from '@gatehouse/data/revocation-delivery'
import { changeNothing, openServiceDatabase } from '@gatehouse/data/service-database'
import { openEmission } from '@gatehouse/kit/events/emission'
import { type ProcessContext, runProcess } from '@gatehouse/kit/process/process'
import { serve } from '@gatehouse/kit/process/service'
import { connect } from '@gatehouse/kit/rpc/connect'
import { repeat } from '@gatehouse/kit/time/repeat'
import { authorityScopes } from '@gatehouse/proto/claims'
import { enabledAuthenticationMethods } from '@gatehouse/proto/client-authentication'
import { enabledGrantTypes } from '@gatehouse/proto/grants'
import { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { profileBehaviour } from '@gatehouse/proto/profiles'
import { openScopesOf } from '@gatehouse/proto/resource-servers'
import { TokenServiceService } from '@gatehouse/proto/token/v1'
import type { ClientStore } from './clients/client.ts'
import { createClientCount } from './clients/client-count.ts'
import { type ClientRegistryConfig, clientRegistryConfig } from './config.ts'
import { clientRegistryMetrics } from './metrics.ts'
import { openClientIdDocuments } from './open-client-id-documents.ts'
import { rolesOf } from './resource-servers/resource-role.ts'
import { clientRegistryRpcs } from './rpc/rpc.ts'
import { startCleaning } from './start-cleaning.ts'
import { createClientChangeStore, findChange } from './store/client-changes.ts'
import { clientNames, createClientIdStore } from './store/client-ids.ts'
import { createClientKeyStore } from './store/client-keys.ts'
import { createClientListStore } from './store/client-list.ts'
import { createClientOriginStore } from './store/client-origins.ts'
import { createClientStore } from './store/clients.ts'
import { createKeyUseStore } from './store/key-uses.ts'
import { createRegistrationTokenStore } from './store/registration-tokens.ts'
import { createResourceServerChangeStore } from './store/resource-server-changes.ts'
import { createResourceServerStore } from './store/resource-servers.ts'
import { createSecretUseStore } from './store/secret-uses.ts'

/** In milliseconds. */
const countEvery = 30_000
const identityTimeout = 2_000
const tokenTimeout = 3_000

await runProcess('client-registry', clientRegistryConfig, async (context) => {
  const emit = openEmission(context)
  const database = await openServiceDatabase(context)
  const keepEvent = startEventDelivery(context, { database, schema: 'clients' })
  const store = createClientStore(database)
  const election = createElection(database, 'client count')
  const metrics = clientRegistryMetrics(context.registry)
  const count = createClientCount({
    isElected: election.isElected,
    countClients: store.count,
    setTotal: metrics.setTotal,
  })
  await count().catch((error) => context.log.warn({ err: error }, 'counting failed; will be tried again'))
  await tellOfMethods(context, store).catch((error) =>
    context.log.warn({ err: error }, 'could not count the clients whose method of authentication is off'),
  )
  context.onShutdown(election.resign)
  repeat(context, 'counting the clients', countEvery, count)

  const redirectUriRules = {
    bareSchemes: profileBehaviour.bareRedirectSchemes[context.config.OAUTH2_PROFILE],
  }
  const resourceServers = createResourceServerStore(database)
  const making = {
    redirectUriRules,
    scopesSupported: scopesOf(context.config),
    methods: enabledAuthenticationMethods(context.config),
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
  const noteSecretUse = createSecretUseStore(database)
  const noteKeyUse = createKeyUseStore(database)
  const registrationTokens = createRegistrationTokenStore(database)
  const ownChanges = createClientChangeStore(database, keepEvent, { own: true })
  const { documents, read, refreshDocuments, resourceServersChanged } = await openClientIdDocuments(context, {
    database,
    clients: ownChanges,
    deliver,
    redirectUriRules,
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
    names: createNameClaims(
      database,
      'clients',
      async (names) => (await identity.findTakenNames({ names })).taken,
    ),
    findRoles: async () => rolesOf(await resourceServers.all()),
    forgetClients: async (clientIds: readonly string[]) => {
      const request = { clientIds: [...clientIds] }
      await Promise.all([token.forgetClients(request), identity.forgetClients(request)])
    },
    store: createClientChangeStore(database, keepEvent),
    ids: createClientIdStore(database),
    deliver,
    emit,
  }
  const admin = {
    list: createClientListStore(database),
    changes,
    keys: createClientKeyStore(database, keepEvent),
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
  /** Leaves the noting of something to itself. */
  const unawaited = (noting: Promise<unknown>, what: string) =>
    void noting.catch((error) => context.log.warn({ err: error }, `could not note ${what}`))
  await serve(context, {
    implementations: [
      clientRegistryRpcs({
        registration: { ...registering, store },
        registered: {
          ...registering,
          tokens: registrationTokens,
          noteUse: (clientId) =>
            unawaited(registrationTokens.noteUse(clientId), 'that a client manages its registration'),
          clients: store,
          list: admin.list,
          store: ownChanges,
          deliver,
        },
        lookup: {
          store,
          documentsEnabled: context.config.OAUTH2_CLIENT_METADATA_DOCUMENTS,
          noteUse: documents.noteUse,
          refreshDocuments,
          noteSecretUse: (secrets) => unawaited(noteSecretUse(secrets), 'which secrets are in use'),
          noteKeyUse: (keys) => unawaited(noteKeyUse(keys), 'which keys of clients are in use'),
          log: context.log,
        },
        readClientIdDocument: read,
        origins: {
          store: createClientOriginStore(database),
          open: context.config.OAUTH2_REGISTRATION === 'open',
        },
        findTakenNames: clientNames(database),
        admin,
        resourceServers: {
          store: resourceServers,
          clients: admin.list,
          changes: {
            store: createResourceServerChangeStore(database, keepEvent),
            deliver,
            changed: resourceServersChanged,
            issuer: context.config.OAUTH2_SERVER_PUBLIC_BASE_URL,
            organizations: context.config.OAUTH2_ORGANIZATIONS_ENABLED,
          },
        },
      }),
      auditRpcs(database, 'clients', keepEvent),
    ],
    probeDatabase: database.probeOf(changeNothing('clients.clients', 'client_name')),
  })
})

/** Says once how many clients cannot be used because of the configuration. */
async function tellOfMethods(
  { config, log }: Pick<ProcessContext<ClientRegistryConfig>, 'config' | 'log'>,
  { countOthers }: Pick<ClientStore, 'countOthers'>,
): Promise<void> {
  const clients = await countOthers(enabledAuthenticationMethods(config))
  if (clients > 0)
    log.warn(
      { clients },
      'clients cannot authenticate: OAUTH2_CLIENT_AUTH_METHODS and OAUTH2_PUBLIC_CLIENTS_ENABLED leave out their method',
    )
}

/** The scopes of this server itself. Those of groups, roles and organizations are for clients that ask for them: none gets them without. */
function scopesOf({
  OAUTH2_SCOPES_SUPPORTED: words,
  OAUTH2_ORGANIZATIONS_ENABLED: organizations,
}: ClientRegistryConfig) {
  return new Set([...words.split(' '), ...(organizations ? authorityScopes : [])])
}
