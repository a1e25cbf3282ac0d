import { randomBytes } from 'node:crypto'
import { auditRpcs } from '@gatehouse/data/audit-list'
import type { DailyPartitions } from '@gatehouse/data/daily-partitions'
import { createElection } from '@gatehouse/data/election'
import { deleteExpiredRows, deletionOfAuditEntries } from '@gatehouse/data/expired-rows'
import { expiringPendingEvents, startEventDelivery } from '@gatehouse/data/pending-events'
import { reencryptionRpcs } from '@gatehouse/data/reencryption'
import { openServiceDatabase, type ServiceDatabase } from '@gatehouse/data/service-database'
import { openEmission } from '@gatehouse/kit/events/emission'
import { type ProcessContext, runProcess } from '@gatehouse/kit/process/process'
import { serve } from '@gatehouse/kit/process/service'
import { connect } from '@gatehouse/kit/rpc/connect'
import { keyringOf } from '@gatehouse/kit/secrets/keyring'
import { cleanUpMetrics } from '@gatehouse/kit/telemetry/metrics'
import { repeat } from '@gatehouse/kit/time/repeat'
import { enabledKeyPairAlgorithms, idTokenAlgorithms } from '@gatehouse/proto/algorithms'
import { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { enabledGrantTypes, grantTypes } from '@gatehouse/proto/grants'
import { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { profileBehaviour } from '@gatehouse/proto/profiles'
import { announcedRevocations } from './administration/announced-revocations.ts'
import { openClientCertificates } from './clients/open-client-certificates.ts'
import { startCountingFailures } from './clients/start-counting-failures.ts'
import { revocationLifetime, type TokenConfig, tokenConfig } from './config.ts'
import { createMaintenance } from './maintenance.ts'
import { type TokenMetrics, tokenMetrics } from './metrics.ts'
import { openClientAuthentication } from './open-client-authentication.ts'
import { openSigningKeys } from './open-signing-keys.ts'
import { createConnectionEnding } from './openid/connection-end.ts'
import { createOpenid, startLogouts } from './openid/openid.ts'
import { authenticateUserOver, findProfileOver } from './other-services/identity-client.ts'
import { openAuthority } from './other-services/open-authority.ts'
import { openClients, openResources } from './other-services/open-registry-client.ts'
import {
  clientIdDocumentsOver,
  clientRegistryOver,
  scopeWideningOver,
} from './other-services/registry-client.ts'
import { tryToIssue } from './readiness.ts'
import { tokenRpcs } from './rpc/rpc.ts'
import { createAccessTokenStore } from './store/access-tokens.ts'
import { countActiveTokens } from './store/active-tokens.ts'
import { createAuthorityChangeStore } from './store/authority/authority-changes.ts'
import { createAuthorizationCodeStore } from './store/authorization-codes.ts'
import { createAuthorizationFlowStore } from './store/authorization-flows.ts'
import { createBackchannelLogoutStore } from './store/backchannel-logouts.ts'
import {
  createClientAuthenticationFailureStore,
  createFailurePartitions,
} from './store/client-authentication-failures.ts'
import { createClientChangeStore } from './store/client-changes.ts'
import { createConnectionEndStore } from './store/ends/connection-ends.ts'
import { createSessionEndStore } from './store/ends/session-ends.ts'
import { deleteExpired, expiringTables } from './store/expired.ts'
import { forgetClientsIn } from './store/forgotten-clients.ts'
import { issuingAttempt } from './store/issuing-attempt.ts'
import { encryptedKeyPairs } from './store/keys/key-reencryption.ts'
import type { createSigningKeyStore } from './store/keys/signing-keys.ts'
import { createPartitions } from './store/partitions.ts'
import { createPasswordGrantStore } from './store/password-grants.ts'
import { createRefreshTokenStore } from './store/refresh-tokens.ts'
import { createRevocationStore } from './store/revocations.ts'
import { findSessionGrant } from './store/session-grants.ts'
import { createTokenAdministrationStore } from './store/token-administration.ts'
import { createTokenHolderStore } from './store/token-holders.ts'
import { createUsageStore } from './store/usage.ts'
import { findUsedClientsIn } from './store/used-clients.ts'
import { createAccessTokenSigner } from './tokens/access-token.ts'
import { createSuccessions } from './tokens/refresh-token.ts'
import { countUsage } from './tokens/usage.ts'

/** In milliseconds. */
const registryTimeout = 2_000
/** A little longer than the registry waits for a document, and shorter than the gateway waits for us. */
const documentTimeout = 4_500
/** Longer, because hashing a password takes time and may have to wait. */
const identityTimeout = 4_000
const maintainEvery = 30_000
const writeUsageEvery = 10_000

type Context = ProcessContext<TokenConfig>

await runProcess('token', tokenConfig, async (context) => {
  const { config, log, registry } = context
  const now = Date.now
  const emit = openEmission(context)
  const algorithms = [...new Set([config.OAUTH2_ACCESS_TOKEN_ALGORITHM, ...enabledKeyPairAlgorithms(config)])]
  const metrics = tokenMetrics(registry, { grantTypes, algorithms })
  const database = await openServiceDatabase(context)
  const keepEvent = startEventDelivery(context, { database, schema: 'token' })
  const partitions = createPartitions(database)
  const keptFor = revocationLifetime(config)
  const storeDeps = { database, makePartitions: partitions.make, keptFor }
  const store = createAccessTokenStore(storeDeps)
  const codes = createAuthorizationCodeStore(storeDeps)
  const refreshTokenStore = createRefreshTokenStore(storeDeps)
  const revocations = announcedRevocations(createRevocationStore(database, keptFor), emit)
  const clientChanges = createClientChangeStore(database, keptFor)
  const registryRpc = connect(
    context,
    ClientRegistryServiceService,
    config.OAUTH2_CLIENT_REGISTRY_ADDR,
    registryTimeout,
  )
  const clients = openClients(context, registryRpc)
  const resources = await openResources(context, registryRpc)
  const identity = connect(context, IdentityServiceService, config.OAUTH2_IDENTITY_ADDR, identityTimeout)
  const secret = keyringOf(config.OAUTH2_JWT_SECRET, config.OAUTH2_JWT_SECRET_NEXT)
  const keys = await openSigningKeys(context, database, { secret, metrics, emit, keepEvent })
  const usage = openUsage(context, database)
  const failurePartitions = createFailurePartitions(database, config.OAUTH2_LOGIN_HISTORY_DAYS)
  const failures = createClientAuthenticationFailureStore(database, failurePartitions.make)
  await startMaintenance(context, database, { metrics, partitions, failurePartitions, ...keys, ...usage })

  const issuer = config.OAUTH2_SERVER_PUBLIC_BASE_URL
  const audience = config.OAUTH2_ACCESS_TOKEN_AUDIENCE ?? issuer
  const signer = createAccessTokenSigner(keys.keys, {
    algorithm: config.OAUTH2_ACCESS_TOKEN_ALGORITHM,
    issuer,
    audience: resources.enabled ? undefined : audience,
  })
  const { resourceIndicators } = resources
  const findProfile = findProfileOver(identity)
  const authority = openAuthority(context, {
    ...{ identity, findProfile, knownServers: resources.known, timeoutMs: identityTimeout },
  })
  const identification = {
    resourceIndicators,
    authority,
    certificates: await openClientCertificates(config.OAUTH2_CLIENT_CERTIFICATE_CA, context),
    ...openClientAuthentication(context, database, clients),
    clientChanges,
    emit,
  }
  const signing = { signer, issuer, audience, accessTokenLifetime: config.OAUTH2_ACCESS_TOKEN_TTL, now }
  const openid = createOpenid(config, keys.keys, findProfile)
  if (openid) {
    const store = createBackchannelLogoutStore(database)
    startLogouts(context, { store, findClient: clients.find, counted: metrics.backchannelLogout, ...openid })
  }
  const rpcs = tokenRpcs({
    openid: openid && {
      ...openid,
      signer,
      audience,
      resourceIndicators,
      authority,
      store,
      findClient: clients.find,
      findSessionGrant: (key) => findSessionGrant(database, key),
      now,
    },
    authorization: {
      ...identification,
      openid: openid && {
        readHint: openid.readIdToken,
        formPost: profileBehaviour.formPost[config.OAUTH2_PROFILE],
        redirectsErrors: profileBehaviour.redirectsErrors[config.OAUTH2_PROFILE],
      },
      codes,
      flows: createAuthorizationFlowStore(database),
      scopeWidening: config.OAUTH2_SCOPE_STEP_UP_ENABLED ? scopeWideningOver(registryRpc) : undefined,
      readClientIdDocument: clientIdDocumentsOver({
        enabled: config.OAUTH2_CLIENT_METADATA_DOCUMENTS,
        registry: connect(
          context,
          ClientRegistryServiceService,
          config.OAUTH2_CLIENT_REGISTRY_ADDR,
          documentTimeout,
        ),
        forgetClient: clients.forget,
      }),
      pushedRequests: config.OAUTH2_PUSHED_AUTHORIZATION_REQUESTS,
      log,
      randomBytes,
      authorizationCodeLifetime: config.OAUTH2_AUTHORIZATION_CODE_TTL,
    },
    grants: {
      ...identification,
      ...signing,
      idTokens: openid,
      usage: usage.usage,
      store,
      codes,
      refreshTokenStore,
      revocations,
      randomBytes,
      refreshTokens: {
        lifetime: config.OAUTH2_REFRESH_TOKEN_TTL,
        ...createSuccessions(secret, refreshTokenStore),
      },
      passwordGrants: createPasswordGrantStore(storeDeps),
      enabledGrants: new Set(enabledGrantTypes(config)),
      authenticateUser: authenticateUserOver(identity),
      repeatedRefresh: metrics.repeatedRefresh,
    },
    introspection: {
      ...identification,
      endpoint: 'introspection',
      signer,
      audience,
      store,
      refreshTokenStore,
      refreshTokenLifetime: config.OAUTH2_REFRESH_TOKEN_TTL,
      refreshTokensEnabled: config.OAUTH2_REFRESH_TOKEN_ENABLED,
      requireAuthentication: config.OAUTH2_INTROSPECTION_REQUIRE_AUTH,
    },
    revocation: {
      ...{ ...identification, endpoint: 'revocation', signer },
      ...{ store, refreshTokenStore, revocations },
    },
    revocations,
    sessionEnd: { sessionEnds: createSessionEndStore(database, keptFor), emit },
    endConnection: createConnectionEnding({ store: createConnectionEndStore(database, keptFor), emit }),
    clientChanges,
    authorityChanges: createAuthorityChangeStore(database, keptFor),
    forgetClients: forgetClientsIn(database),
    forgetClient: clients.forget,
    rereadResourceServers: resources.reread,
    administration: {
      tokens: createTokenAdministrationStore(database, keptFor, keepEvent),
      signer,
      emit,
    },
    signingKeys: {
      ...keys,
      accessTokenAlgorithm: config.OAUTH2_ACCESS_TOKEN_ALGORITHM,
      idTokenAlgorithms: idTokenAlgorithms(config),
    },
    tokenHolders: createTokenHolderStore(database),
    preview: { ...identification, ...signing, findProfile, openid: openid !== undefined },
    usage: usage.usageStore,
    findUsedClients: findUsedClientsIn(database),
    authenticationFailures: failures,
    countFailure: startCountingFailures(context, { store: failures, leftOut: metrics.failuresLeftOut }),
    metrics,
    log,
  })
  const registryClient = clientRegistryOver(registryRpc)
  await serve(context, {
    implementations: [
      rpcs,
      auditRpcs(database, 'token', keepEvent),
      reencryptionRpcs(database, 'token', keepEvent, encryptedKeyPairs(database, secret)),
    ],
    keyrings: { OAUTH2_JWT_SECRET: secret },
    probeDatabase: database.probeOf(issuingAttempt(config.OAUTH2_ACCESS_TOKEN_TTL, now)),
    probeWork: () => tryToIssue({ signer, registry: registryClient, resourceIndicators, now }),
  })
})

/** The counts of issued tokens, stored again and again and at the end. */
function openUsage(context: Context, database: ServiceDatabase) {
  const usageStore = createUsageStore(database)
  const { usage, write } = countUsage(usageStore)
  repeat(context, 'storing usage counts', writeUsageEvery, write)
  context.onShutdown(write)
  return { usage, usageStore }
}

/** Creates partitions, deletes what has expired and counts the active tokens: now, and again and again. */
async function startMaintenance(
  context: Context,
  database: ServiceDatabase,
  deps: {
    metrics: TokenMetrics
    partitions: DailyPartitions
    failurePartitions: DailyPartitions
    keyStore: ReturnType<typeof createSigningKeyStore>
    usageStore: ReturnType<typeof createUsageStore>
  },
): Promise<void> {
  const { config, log, registry } = context
  const election = createElection(database, 'token maintenance')
  const maintain = createMaintenance({
    isElected: election.isElected,
    maintainPartitions: () => deps.partitions.maintain(Date.now() / 1000),
    deleteExpired: {
      client_authentication_failures: async () =>
        (await deps.failurePartitions.maintain(Date.now() / 1000)).dropped.length,
      ...Object.fromEntries(expiringTables.map((table) => [table, () => deleteExpired(database, table)])),
      signing_keys: deps.keyStore.deleteExpired,
      ...deletionOfAuditEntries(database, 'token', config.OAUTH2_AUDIT_LOG_DAYS),
      pending_events: () => deleteExpiredRows(database, expiringPendingEvents('token')),
    },
    ...cleanUpMetrics(registry),
    countActiveTokens: () => countActiveTokens(database),
    async setActive(count) {
      deps.metrics.setActive(count)
      if (count !== undefined) await deps.usageStore.setActiveTokens(count)
    },
    now: Date.now,
    log,
  })
  await maintain().catch((error) => log.warn({ err: error }, 'maintenance failed; will be tried again'))
  context.onShutdown(election.resign)
  repeat(context, 'maintenance', maintainEvery, maintain)
}
