import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { auditRpcs } from '@gatehouse/data/audit-list'
import { createCleaning } from '@gatehouse/data/cleaning'
import { createElection, type Election } from '@gatehouse/data/election'
import { createNameClaims } from '@gatehouse/data/name-claims'
import { startEventDelivery } from '@gatehouse/data/pending-events'
import { reencryptionRpcs } from '@gatehouse/data/reencryption'
import { startDelivery } from '@gatehouse/data/revocation-delivery'
import { changeNothing, openServiceDatabase } from '@gatehouse/data/service-database'
import { openEmission } from '@gatehouse/kit/events/emission'
import { type ProcessContext, runProcess } from '@gatehouse/kit/process/process'
import { serve } from '@gatehouse/kit/process/service'
import { connect } from '@gatehouse/kit/rpc/connect'
import { cleanUpMetrics } from '@gatehouse/kit/telemetry/metrics'
import { repeat, untilDone } from '@gatehouse/kit/time/repeat'
import type { Database } from '@gatehouse/prisma/database'
import { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { createMinuteLimit } from './basics/minute-limit.ts'
import { type IdentityConfig, identityConfig } from './config.ts'
import { createConnectionEncryption } from './connections/connection-secrets.ts'
import { seedAdministrator } from './logins/authentication.ts'
import { recordUnfinishedLogins } from './logins/unfinished-logins.ts'
import { identityMetrics } from './metrics.ts'
import { openConnections } from './open-connections.ts'
import { factorKeyOf, factorOffers } from './open-factors.ts'
import { openInvitationsAndDomains } from './open-invitations-and-domains.ts'
import { openMails } from './open-mails.ts'
import { openOrganizations } from './open-organizations.ts'
import { createPasswordHashing } from './passwords/password.ts'
import { configuredProviders } from './providers/table.ts'
import { mailRpcs } from './rpc/mail-rpc.ts'
import { identityRpcs } from './rpc/rpc.ts'
import { createAddressConfirmationStore } from './store/accounts/address-confirmations.ts'
import { createInvitationStore } from './store/accounts/invitations.ts'
import { createOwnAccountStore } from './store/accounts/own-accounts.ts'
import { createPasswordRecoveryStore } from './store/accounts/password-recoveries.ts'
import { createPasswordStore } from './store/accounts/passwords.ts'
import { createSignUpStore } from './store/accounts/sign-ups.ts'
import { createUserImportStore } from './store/accounts/user-imports.ts'
import { encryptedCredentials } from './store/connections/secret-reencryption.ts'
import { deletionsOfExpired } from './store/expired.ts'
import { factorStores } from './store/factors/factors.ts'
import { encryptedSeeds } from './store/factors/seed-reencryption.ts'
import { groupStores } from './store/groups/group-stores.ts'
import { createConsentStore } from './store/logins/consents.ts'
import { createLoginHistoryStore, createLoginPartitions } from './store/logins/login-attempts.ts'
import { createLoginFailureStore } from './store/logins/login-failures.ts'
import { createLoginProblemStore } from './store/logins/login-problems.ts'
import { createLoginUnlockStore } from './store/logins/login-unlocks.ts'
import { createPendingLoginStore } from './store/logins/pending-logins.ts'
import { createSessionStore } from './store/logins/sessions.ts'
import { createMailLinkStore } from './store/mail/mail-links.ts'
import { createMailListStore } from './store/mail/mail-list.ts'
import { createMailQueue } from './store/mail/mail-queue.ts'
import { mailWriter, noMails } from './store/mail/mails.ts'
import { createSocialAccountStore } from './store/providers/social-accounts.ts'
import { createSocialLoginStore } from './store/providers/social-logins.ts'
import { roleStores } from './store/roles/role-stores.ts'
import { createUserAttributeStore } from './store/users/user-attributes.ts'
import { createUserChangeStore } from './store/users/user-changes.ts'
import { createUserListStore } from './store/users/user-list.ts'
import { userNames } from './store/users/user-names.ts'
import { createUserStore } from './store/users/users.ts'

/** In milliseconds; `seedEvery` is the pause between two tries while the database is away. */
const seedEvery = 5_000
const cleanEvery = 60_000
const providerTimeout = 5_000
const registryTimeout = 2_000

await runProcess('identity', identityConfig, async (context) => {
  const { config, log, registry } = context
  const emit = openEmission(context)
  const database = await openServiceDatabase(context)
  const keepEvent = startEventDelivery(context, { database, schema: 'identity' })
  const policy = config.OAUTH2_MFA
  const users = createUserStore(database, policy)
  const hashing = createPasswordHashing()
  await createSeedUser(context, { users, hashing, randomUuid: randomUUID })

  const deliver = startDelivery(context, {
    database,
    schema: 'identity',
    tokenTarget: config.OAUTH2_TOKEN_ADDR,
  })

  const clientRegistry = connect(
    context,
    ClientRegistryServiceService,
    config.OAUTH2_CLIENT_REGISTRY_ADDR,
    registryTimeout,
  )
  const names = createNameClaims(
    database,
    'identity',
    async (names) => (await clientRegistry.findTakenNames({ names })).taken,
  )
  const mails = openMails(context, createMailQueue(database))
  const writer = mails.mailsOn ? mailWriter : noMails
  const election = createElection(database, 'identity clean-up')
  context.onShutdown(election.resign)
  const partitions = await startCleaning(context, database, election)
  const recorded = config.OAUTH2_OPENID_ENABLED
  const sessions = createSessionStore(database, { recorded, policy })
  const pendingLogins = createPendingLoginStore(database)
  const { authenticationFailed, secondFactorTried, connectionCounted } = identityMetrics(registry)
  const loginHistory = createLoginHistoryStore({
    database,
    mailsOn: mails.mailsOn,
    makePartitions: partitions.make,
  })
  const recording = { loginHistory, mayRecord: createMinuteLimit(() => performance.now()) }
  const guarding = {
    failures: createLoginFailureStore(database),
    authenticationFailed,
    hashing,
    emit,
    // Random, so that waiting attempts do not all retry at once.
    pause: () => sleep(50 + Math.random() * 100),
  }
  const random = { randomBytes, randomUuid: randomUUID }
  const admin = {
    list: createUserListStore(database),
    changes: {
      ...random,
      store: createUserChangeStore(database, { keepEvent, recorded, mails: writer }),
      names,
      hashing,
      deliver,
    },
    imports: { ...random, store: createUserImportStore(database, keepEvent), names, hashing, now: Date.now },
    unlocks: createLoginUnlockStore(database, keepEvent),
  }
  const groupDeps = { ...groupStores(database, keepEvent), users: admin.list }
  const beginning = { ...random, now: Date.now, ...recording, deliver, sessions, pendingLogins }
  const factorKey = factorKeyOf(config)
  const connectionEncryption =
    factorKey === undefined ? undefined : createConnectionEncryption(factorKey, randomBytes)
  const factors = {
    ...beginning,
    ...factorStores(database, { keepEvent, recorded, policy, mails: writer }),
    ...factorOffers(config, factorKey),
    secondFactorTried,
    emit,
    log,
  }
  const social = {
    ...beginning,
    emit,
    log,
    providers: openProviders(config),
    logins: createSocialLoginStore(database),
    accounts: createSocialAccountStore(database),
    names,
  }
  await serve(context, {
    implementations: [
      identityRpcs({
        login: { ...guarding, ...beginning, users, log },
        sessions,
        passwordChange: {
          ...guarding,
          passwords: createPasswordStore(database, { recorded, mails: writer }),
          deliver,
        },
        consents: createConsentStore(database, { policy }),
        deliver,
        admin,
        groups: { ...groupDeps, deliver },
        roles: { ...groupDeps, ...roleStores(database, keepEvent), deliver },
        loginHistory,
        loginProblems: {
          problems: createLoginProblemStore(database, policy),
          passkeysWork: factors.relyingParty !== undefined,
          appsWork: factors.seeds !== undefined,
        },
        social,
        attributes: createUserAttributeStore(database),
        factors,
        ownAccount: {
          accounts: createOwnAccountStore(database, {
            ...{ keepEvent, recorded, policy, mails: writer },
            organizations: config.OAUTH2_ORGANIZATIONS_ENABLED,
          }),
          deliver,
        },
        findTakenNames: userNames(database),
        log,
      }),
      mailRpcs({
        links: createMailLinkStore(database),
        signUp: { ...beginning, ...mails, hashing, emit, signUps: createSignUpStore(database), names },
        recovery: {
          ...mails,
          recoveries: createPasswordRecoveryStore(database, { recorded, mails: writer }),
          hashing,
          deliver,
          emit,
        },
        confirmation: {
          ...mails,
          addresses: createAddressConfirmationStore(database, writer),
          emit,
        },
        list: {
          ...mails,
          mails: createMailListStore(database, { keepEvent, mails: writer }),
          invitations: createInvitationStore(database, { keepEvent, mails: writer }),
          users: admin.list,
        },
      }),
      ...openOrganizations(context, database, {
        ...{ keepEvent, recorded, election, users: admin.list, deliver },
      }),
      ...openInvitationsAndDomains(context, {
        ...mails,
        ...{ database, keepEvent, writer, clientRegistry, election },
      }),
      ...openConnections(context, {
        ...{ ...beginning, emit, log, names, counted: connectionCounted },
        ...{ database, keepEvent, writer, clientRegistry, encryption: connectionEncryption },
      }),
      auditRpcs(database, 'identity', keepEvent),
      reencryptionRpcs(
        ...([database, 'identity', keepEvent, encryptedSeeds(database, factors.seeds)] as const),
        ...encryptedCredentials(connectionEncryption),
      ),
    ],
    keyrings: factorKey === undefined ? {} : { OAUTH2_FACTOR_KEY: factorKey },
    probeDatabase: database.probeOf(changeNothing('identity.sessions', 'expires_at')),
  })
})

type Context = ProcessContext<IdentityConfig>

function openProviders(config: IdentityConfig) {
  const deps = { fetch, timeoutMs: providerTimeout, now: Date.now }
  return configuredProviders(config, config.OAUTH2_SERVER_PUBLIC_BASE_URL, deps)
}

/**
 * Creates the first administrator, if the configuration names one. The client registry is not asked for the name: it need not run yet,
 * and whoever sets the variables decides.
 */
async function createSeedUser(
  context: Context,
  deps: Parameters<typeof seedAdministrator>[1],
): Promise<void> {
  const { config, log } = context
  const { OAUTH2_SEED_USERNAME: username, OAUTH2_SEED_PASSWORD: password } = config
  if (!password) return
  await untilDone(context, 'creating the first administrator', seedEvery, async () => {
    if (await seedAdministrator({ username, password }, deps)) {
      log.info({ username }, 'created the first administrator')
    }
  })
}

/** Starts the clean-up, which also makes the partitions for logins, and returns those. */
async function startCleaning(
  context: Context,
  database: Pick<Database, 'pool' | 'sessions' | 'prisma'>,
  election: Pick<Election, 'isElected'>,
) {
  const { config, log, registry } = context
  const partitions = createLoginPartitions(database, config.OAUTH2_LOGIN_HISTORY_DAYS)
  const unfinished = {
    pendingLogins: createPendingLoginStore(database),
    loginHistory: createLoginHistoryStore({ database, mailsOn: false, makePartitions: partitions.make }),
  }
  const clean = createCleaning({
    isElected: election.isElected,
    parts: {
      ...deletionsOfExpired(database, {
        mails: config.OAUTH2_MAIL_HISTORY_DAYS,
        auditLog: config.OAUTH2_AUDIT_LOG_DAYS,
      }),
      pending_logins: () => recordUnfinishedLogins(unfinished),
      login_attempts: async () => (await partitions.maintain(Date.now() / 1000)).dropped.length,
    },
    ...cleanUpMetrics(registry),
    log,
  })
  // Today's partition must exist before the first login; the clean-up makes those of the next days.
  await partitions
    .make([Date.now() / 1000])
    .catch((error) => log.warn({ err: error }, 'could not make a partition for logins; the first login will'))
  repeat(context, 'cleaning up', cleanEvery, clean)
  return partitions
}
