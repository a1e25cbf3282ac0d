import { randomBytes, randomUUID } from 'node:crypto'
import { type AskForNames, createNameClaims } from '@gatehouse/data/name-claims'
import { keepNothing } from '@gatehouse/data/pending-events'
import { createPendingRevocationStore, type PendingRevocation } from '@gatehouse/data/pending-revocations'
import { createDelivery } from '@gatehouse/data/revocation-delivery'
import type { Actor } from '@gatehouse/kit/actor'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { openScopesOf } from '@gatehouse/proto/resource-servers'
import { createDatabase, openTestQueries } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll } from 'vitest'
import { type ClientChangeDeps, createClient } from '../src/changes/client-change.ts'
import type { ClientStore } from '../src/clients/client.ts'
import { rolesOf } from '../src/resource-servers/resource-role.ts'
import type { NewResourceServer } from '../src/resource-servers/resource-server.ts'
import type { RpcDeps } from '../src/rpc/rpc.ts'
import { createClientChangeStore, findChange } from '../src/store/client-changes.ts'
import { clientNames, createClientIdStore } from '../src/store/client-ids.ts'
import { createClientKeyStore } from '../src/store/client-keys.ts'
import { createClientListStore } from '../src/store/client-list.ts'
import { createClientOriginStore } from '../src/store/client-origins.ts'
import { createClientStore } from '../src/store/clients.ts'
import { createKeyUseStore } from '../src/store/key-uses.ts'
import { createRegistrationTokenStore } from '../src/store/registration-tokens.ts'
import { createResourceServerChangeStore } from '../src/store/resource-server-changes.ts'
import { createResourceServerStore } from '../src/store/resource-servers.ts'
import { createSecretUseStore } from '../src/store/secret-uses.ts'

/** One replica of the service, wired as main.ts does, over a pool of its own. */
export type Replica = RpcDeps & {
  database: Database
  store: ClientStore
  changes: ClientChangeDeps
  /** The revocations that were delivered to the token service. While `tokenAway` is true, deliveries fail. */
  revoked: PendingRevocation[]
  tokenAway: boolean
  deliverAll(): Promise<void>
  /** Stands in for the identity service, which has none of the names unless a test says otherwise. */
  askIdentity: AskForNames
  /** The ids of former clients that the other services were told to forget. */
  forgotten: string[]
}

/** An administrator who is in no table. */
export const actor: Actor = {
  kind: 'user',
  id: '0190f0a0-0000-7000-8000-00000000000a',
  name: 'root',
  ipAddress: '192.0.2.1',
}

/** The registration of a client of the grant client_credentials. */
export const machine = { redirectUris: [], grantTypes: ['client_credentials'], firstParty: false }

/** The settings of a resource server that nobody set. */
export const plainSettings = {
  ...{ clientId: undefined, tokenLifetime: undefined, openRegistration: false },
  ...{ roles: [], scopesByRole: false, tokenClaims: [], claimsShape: 'flat' },
} satisfies Partial<NewResourceServer>

/** Creates a database for a test file, and replicas that use it. */
export function useReplicas() {
  const opened: Database[] = []
  let url = ''
  let drop = async () => {}
  const queries = openTestQueries(() => url)
  let first: Replica | undefined
  beforeAll(async () => {
    const created = await createDatabase()
    url = created.url
    drop = created.drop
    first = another()
  })
  afterAll(async () => {
    await Promise.all([...opened, queries].map((each) => each.close()))
    await drop()
  })

  function another(): Replica {
    const database = openDatabase({ databaseUrl: url, applicationName: 'gatehouse-test', poolSize: 10 })
    opened.push(database)
    return wire(database)
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
    /** Adds a client, by default one for client_credentials. */
    async add(changes: Partial<Parameters<typeof createClient>[0]> = {}) {
      const { client, clientSecret } = await createClient(
        { ...machine, ...changes },
        actor,
        replica().changes,
      )
      return { ...client, clientSecret }
    },
    /** The audit entries of a client, oldest first, without actor and time. */
    auditOf: (target: string) =>
      query('select action, before, after from clients.audit_log where target = $1 order by entry_id', [
        target,
      ]),
  }
}

function wire(database: Database): Replica {
  const revoked: PendingRevocation[] = []
  const { deliver, deliverAll } = createDelivery({
    store: createPendingRevocationStore(database, 'clients'),
    revoke: async (revocation, transaction) => {
      if (replica.tokenAway) throw new Error('the token service is away')
      if (revocation.kind === 'client_change') await findChange(revocation.target, transaction)
      revoked.push(revocation)
    },
    log: recordedLog().log,
  })
  const store = createClientStore(database)
  const making = {
    scopesSupported: new Set(['read', 'write']),
    openid: false,
    methods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const,
    redirectUriRules: { bareSchemes: false },
    randomUuid: randomUUID,
    randomBytes,
  }
  const resourceServers = createResourceServerStore(database)
  const registering = {
    ...making,
    full: false,
    open: true,
    grantTypes: ['authorization_code', 'client_credentials', 'refresh_token'],
    openResourceScopes: async () => openScopesOf(await resourceServers.all()),
    emit: emitNothing,
  }
  const changes = {
    ...making,
    store: createClientChangeStore(database, keepNothing),
    ids: createClientIdStore(database),
    findRoles: async () => rolesOf(await resourceServers.all()),
    forgetClients: async (clientIds: readonly string[]) => void replica.forgotten.push(...clientIds),
    names: createNameClaims(database, 'clients', (names) => replica.askIdentity(names)),
    deliver,
    emit: emitNothing,
  }
  const registrationTokens = createRegistrationTokenStore(database)
  const replica: Replica = {
    ...{ database, revoked, deliverAll, store, changes },
    tokenAway: false,
    registration: { ...registering, store },
    registered: {
      ...registering,
      tokens: registrationTokens,
      noteUse: (clientId) => void registrationTokens.noteUse(clientId).catch(() => undefined),
      clients: store,
      list: createClientListStore(database),
      store: createClientChangeStore(database, keepNothing, { own: true }),
      deliver,
    },
    admin: {
      list: createClientListStore(database),
      changes,
      keys: createClientKeyStore(database, keepNothing),
      imports: {
        ...changes,
        resourceScopes: async () => openScopesOf(await resourceServers.all()),
        grantTypes: ['authorization_code', 'client_credentials', 'refresh_token'],
        now: Date.now,
      },
    },
    lookup: {
      store,
      documentsEnabled: true,
      noteUse: async () => undefined,
      refreshDocuments: () => undefined,
      noteSecretUse: (secrets) => void createSecretUseStore(database)(secrets),
      noteKeyUse: (keys) => void createKeyUseStore(database)(keys),
      log: recordedLog().log,
    },
    readClientIdDocument: async () => ({ changed: false }),
    origins: { store: createClientOriginStore(database), open: true },
    findTakenNames: clientNames(database),
    askIdentity: async () => [],
    forgotten: [],
    resourceServers: {
      store: resourceServers,
      clients: createClientListStore(database),
      changes: {
        store: createResourceServerChangeStore(database, keepNothing),
        deliver,
        changed: async () => undefined,
        issuer: 'https://auth.example',
        organizations: true,
      },
    },
  }
  return replica
}
