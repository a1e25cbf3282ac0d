import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AskForNames, createNameClaims } from '@gatehouse/data/name-claims'
import { keepNothing } from '@gatehouse/data/pending-events'
import { createPendingRevocationStore, type PendingRevocation } from '@gatehouse/data/pending-revocations'
import { createDelivery } from '@gatehouse/data/revocation-delivery'
import type { Actor } from '@gatehouse/kit/actor'
import { emitNothing } from '@gatehouse/kit/events/emission'
import type { NameClaims } from '@gatehouse/kit/rpc/name-claims'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import type { AdminRole } from '@gatehouse/proto/administration'
import type { EventType } from '@gatehouse/proto/event-types'
import { createDatabase, openTestQueries } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, expect } from 'vitest'
import { createMinuteLimit } from '../../src/basics/minute-limit.ts'
import { createSeedEncryption } from '../../src/factors/seed-encryption.ts'
import { relyingPartyAt } from '../../src/factors/webauthn.ts'
import type { PendingLoginStore } from '../../src/logins/pending-login.ts'
import { logIn } from '../../src/logins/session.ts'
import { createPasswordHashing, hashPassword } from '../../src/passwords/password.ts'
import type { OrganizationRpcDeps } from '../../src/rpc/organization-rpc.ts'
import type { RpcDeps } from '../../src/rpc/rpc.ts'
import { createOwnAccountStore } from '../../src/store/accounts/own-accounts.ts'
import { createPasswordStore } from '../../src/store/accounts/passwords.ts'
import { createUserImportStore } from '../../src/store/accounts/user-imports.ts'
import { factorStores } from '../../src/store/factors/factors.ts'
import { groupStores } from '../../src/store/groups/group-stores.ts'
import { createConsentStore } from '../../src/store/logins/consents.ts'
import { createLoginHistoryStore, createLoginPartitions } from '../../src/store/logins/login-attempts.ts'
import { createLoginFailureStore } from '../../src/store/logins/login-failures.ts'
import { createLoginProblemStore } from '../../src/store/logins/login-problems.ts'
import { createLoginUnlockStore } from '../../src/store/logins/login-unlocks.ts'
import { createPendingLoginStore } from '../../src/store/logins/pending-logins.ts'
import type { SessionRules } from '../../src/store/logins/session-beginnings.ts'
import { createSessionStore } from '../../src/store/logins/sessions.ts'
import { mailWriter } from '../../src/store/mail/mails.ts'
import { organizationStores } from '../../src/store/organizations/organization-stores.ts'
import { createSocialAccountStore } from '../../src/store/providers/social-accounts.ts'
import { createSocialLoginStore } from '../../src/store/providers/social-logins.ts'
import { roleStores } from '../../src/store/roles/role-stores.ts'
import { createUserAttributeStore } from '../../src/store/users/user-attributes.ts'
import { createUserChangeStore } from '../../src/store/users/user-changes.ts'
import { createUserListStore } from '../../src/store/users/user-list.ts'
import { userNames } from '../../src/store/users/user-names.ts'
import { createUserStore } from '../../src/store/users/users.ts'
import type { UserStore } from '../../src/users/user.ts'

/** One replica of the service, wired as main.ts does, over a pool of its own. */
export type Replica = RpcDeps & {
  organizations: OrganizationRpcDeps & Pick<ReturnType<typeof organizationStores>, 'emptying'>
  database: Database
  users: UserStore
  pendingLogins: PendingLoginStore
  /** How often a password was compared with a hash, and how many failures the metric counted. */
  counts: { compared: number; failed: number }
  /** The revocations that were delivered to the token service. While `tokenAway` is true, deliveries fail. */
  revoked: PendingRevocation[]
  tokenAway: boolean
  deliverAll(): Promise<void>
  names: NameClaims
  /** Stands in for the client registry, which has no names unless a test says otherwise. */
  askRegistry: AskForNames
  /** The second factors that the metric counted, as "kind outcome", and the events about factors. */
  tried: string[]
  emitted: { type: EventType; userId?: string | undefined; error?: string | undefined }[]
}

/** The public base URL. Passkeys belong to its host. */
export const publicBaseUrl = 'https://auth.example'

/** An administrator who is in no table. */
export const actor: Actor = {
  kind: 'user',
  id: '0190f0a0-0000-7000-8000-00000000000a',
  name: 'root',
  ipAddress: '192.0.2.1',
}

/** The audit entry of an action by the administrator. */
export const written = (action: string, before: object | null, after: object | null) => ({
  ...{ action, before, after },
  ...{ actor_kind: 'user', actor_id: actor.id, actor_name: actor.name, ip_address: actor.ipAddress },
})

/** The password of every user that `addUser` adds. */
export const rightPassword = 'right password'

/**
 * Creates a database for a test file, and replicas that use it.
 * @param rules recorded: whether the token service is told of sessions that end; policy: OAUTH2_MFA
 */
export function useReplicas({ recorded = false, policy = 'optional' }: Partial<SessionRules> = {}) {
  const opened: Database[] = []
  let url = ''
  let drop = async () => {}
  const queries = openTestQueries(() => url)
  let passwordHash = ''
  let first: Replica | undefined
  beforeAll(async () => {
    const created = await createDatabase()
    url = created.url
    drop = created.drop
    passwordHash = await hashPassword(rightPassword)
    first = another()
  })
  afterAll(async () => {
    await Promise.all([...opened, queries].map((each) => each.close()))
    await drop()
  })

  function another(): Replica {
    const database = openDatabase({ databaseUrl: url, applicationName: 'gatehouse-test', poolSize: 10 })
    opened.push(database)
    return wire(database, { recorded, policy })
  }

  const replica = () => {
    if (first === undefined) throw new Error('call this from a test: the database is created in beforeAll')
    return first
  }
  const { query } = queries

  return {
    replica,
    another,
    query,
    /** The address of the database. */
    url: () => url,
    /** The audit entries of a user, oldest first. */
    auditOf: (target: string) =>
      query(
        `select action, before, after, actor_kind, actor_id, actor_name, ip_address
         from identity.audit_log where target = $1 order by entry_id`,
        [target],
      ),
    /** Adds a user with the right password. */
    async addUser(
      changes: { username?: string; passwordHash?: string | undefined; adminRole?: AdminRole | null } = {},
    ) {
      const id = randomUUID()
      const user = { id, username: `user-${id}`, passwordHash, adminRole: null, ...changes }
      expect(await replica().users.add(user)).toBe(true)
      return user
    },
    /** Logs a user in, in a new browser. */
    async browserOf(
      username: string,
      changes: { ipAddress?: string; previousSecret?: string; clientId?: string } = {},
    ) {
      const attempt = { ...attemptOf(username, rightPassword), userAgent: 'A browser', ...changes }
      const result = await logIn({ previousSecret: undefined, ...attempt }, replica().login)
      if (result.outcome !== 'right') throw new Error(`the login was ${result.outcome}`)
      return { ...result.value, id: result.value.session.id }
    },
  }
}

/** An attempt from a random address. */
export function attemptOf(username: string, password: string) {
  const ipAddress = `10.${[...randomBytes(3)].join('.')}`
  return { username, password, ipAddress, knownBrowser: false, clientId: '' }
}

function wire(database: Database, { recorded, policy }: SessionRules): Replica {
  const { log } = recordedLog()
  const counts = { compared: 0, failed: 0 }
  const real = createPasswordHashing({ maxRunning: 2, maxWaiting: 1_000 })
  const hashing = {
    ...real,
    matches: (hash: string | undefined, password: string) => {
      counts.compared += 1
      return real.matches(hash, password)
    },
  }
  const users = createUserStore(database, policy)
  const sessions = createSessionStore(database, { recorded, policy })
  const pendingLogins = createPendingLoginStore(database)
  const guarding = {
    failures: createLoginFailureStore(database),
    pause: () => sleep(100),
    authenticationFailed: () => {
      counts.failed += 1
    },
    hashing,
  }
  const loginHistory = createLoginHistoryStore({
    database,
    mailsOn: true,
    makePartitions: createLoginPartitions(database).make,
  })
  const recording = { loginHistory, mayRecord: createMinuteLimit(() => performance.now()) }
  const revoked: PendingRevocation[] = []
  const tried: string[] = []
  const emitted: Replica['emitted'] = []
  const { deliver, deliverAll } = createDelivery({
    store: createPendingRevocationStore(database, 'identity'),
    revoke: async (revocation) => {
      if (replica.tokenAway) throw new Error('the token service is away')
      revoked.push(revocation)
    },
    log,
  })
  const names = createNameClaims(database, 'identity', (keys) => replica.askRegistry(keys))
  const groupDeps = { ...groupStores(database, keepNothing), users: createUserListStore(database) }
  const organizations = organizationStores(database, { keepEvent: keepNothing, recorded })
  const replica: Replica = {
    database,
    names,
    askRegistry: async () => [],
    findTakenNames: userNames(database),
    counts,
    revoked,
    tokenAway: false,
    deliverAll,
    log,
    login: {
      ...guarding,
      ...recording,
      users,
      sessions,
      pendingLogins,
      ...{ randomBytes, randomUuid: randomUUID, now: Date.now },
      deliver,
      emit: emitNothing,
      log,
    },
    sessions,
    passwordChange: {
      ...guarding,
      passwords: createPasswordStore(database, { recorded, mails: mailWriter }),
      deliver,
    },
    consents: createConsentStore(database, { policy }),
    users,
    pendingLogins,
    deliver,
    admin: {
      list: createUserListStore(database),
      changes: {
        store: createUserChangeStore(database, { keepEvent: keepNothing, recorded, mails: mailWriter }),
        ...{ names, hashing, randomUuid: randomUUID, randomBytes, deliver },
      },
      unlocks: createLoginUnlockStore(database, keepNothing),
      imports: {
        store: createUserImportStore(database, keepNothing),
        ...{ names, hashing, randomUuid: randomUUID, now: Date.now },
      },
    },
    groups: { ...groupDeps, deliver },
    organizations: { ...organizations, users: groupDeps.users, deliver },
    roles: { ...groupDeps, ...roleStores(database, keepNothing), deliver },
    loginHistory,
    loginProblems: {
      problems: createLoginProblemStore(database, policy),
      ...{ passkeysWork: true, appsWork: true },
    },
    attributes: createUserAttributeStore(database),
    factors: {
      ...recording,
      ...factorStores(database, { keepEvent: keepNothing, recorded, policy, mails: mailWriter }),
      sessions,
      pendingLogins,
      relyingParty: relyingPartyAt(publicBaseUrl),
      seeds: createSeedEncryption('the factor key of the tests, 32 characters', randomBytes),
      issuerName: new URL(publicBaseUrl).host,
      randomUuid: randomUUID,
      randomBytes,
      deliver,
      secondFactorTried: (kind, outcome) => tried.push(`${kind} ${outcome}`),
      now: Date.now,
      emit: (type, content) => void emitted.push({ type, ...content }),
      log,
    },
    ownAccount: {
      accounts: createOwnAccountStore(database, {
        keepEvent: async (_, { type, content }) => void emitted.push({ type, ...content }),
        ...{ recorded, policy, mails: mailWriter, organizations: true },
      }),
      deliver,
    },
    ...{ tried, emitted },
    social: {
      ...recording,
      sessions,
      pendingLogins,
      emit: emitNothing,
      log,
      providers: new Map(),
      logins: createSocialLoginStore(database),
      accounts: createSocialAccountStore(database),
      names,
      randomUuid: randomUUID,
      randomBytes,
      now: Date.now,
      deliver,
    },
  }
  return replica
}
