import { randomBytes, randomUUID } from 'node:crypto'
import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { answerAt, standInClient } from '@gatehouse/test/servers/social-stand-in'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Connection } from '../../src/connections/connection.ts'
import { createConnection, type NewConnection } from '../../src/connections/connection-change.ts'
import { createConnectionProviders } from '../../src/connections/connection-providers.ts'
import { createConnectionEncryption } from '../../src/connections/connection-secrets.ts'
import { type BeginningLogin, beginConnectionLogin } from '../../src/connections/login-begin.ts'
import { type ConnectionCallback, finishConnectionLogin } from '../../src/connections/login-finish.ts'
import type { FindMappableRoles } from '../../src/connections/mapping-rule.ts'
import { connectionFetch, failuresKept } from '../../src/connections/provider-requests.ts'
import type { ConnectionLoginRpcDeps } from '../../src/rpc/connection-login-rpc.ts'
import type { ConnectionRpcDeps } from '../../src/rpc/connection-rpc.ts'
import { createEndConnectionLogins } from '../../src/store/connection-ends.ts'
import { connectionStores } from '../../src/store/connections/connection-stores.ts'
import { mailWriter } from '../../src/store/mail/mails.ts'
import { actor, useReplicas } from '../store/replica.ts'
import { keepEvents } from '../store/stored-events.ts'

/** A resource server with a role that organizations may give, and one that they may not. */
export const resourceServer = {
  resourceId: randomUUID(),
  identifier: 'https://api.example.com',
  roles: [
    { name: 'reader', organizationsMayGive: true },
    { name: 'operator', organizationsMayGive: false },
  ],
}

/** The loopback network, where the provider of the tests is. */
export const loopback = '127.0.0.0/8 ::1/128'

/** The key with which the tests encrypt secrets. */
export const factorKey = 'the factor key of the tests, 32 characters'

/** Starts a provider. @param shared the replicas that have connections */
export function useConnections(shared = useReplicas({ recorded: true })) {
  let started: OpenIdStandIn | undefined
  const standIn = () => {
    if (started === undefined) throw new Error('call this from a test: the provider starts in beforeAll')
    return started
  }
  const closing: (() => void)[] = []
  const { log, lines } = recordedLog()
  const counts: string[] = []
  const clock = { aheadMs: 0 }

  beforeAll(async () => {
    started = await startOpenIdStandIn('google')
    started.register('https://auth.example/auth/callback/nobody')
  })
  afterEach(() => {
    clock.aheadMs = 0
    counts.length = 0
    Object.assign(standIn(), {
      trouble: 'none',
      troubledPath: '',
      publicKey: undefined,
      tamper: (claims: object) => claims,
      forge: undefined,
    })
  })
  afterAll(async () => {
    for (const close of closing) close()
    await started?.close()
  })

  /** The deps of a replica. @param networks OAUTH2_FETCH_ALLOWED_NETWORKS */
  function deps({ networks = loopback, key = factorKey }: { networks?: string; key?: string } = {}) {
    const { database, deliver } = shared.replica()
    const rule = addressRule(networks)
    const fetcher = createFetcher({ rule, timeoutMs: 4_000 })
    closing.push(fetcher.close)
    const findRoles: FindMappableRoles = async () => [resourceServer]
    return {
      ...connectionStores(database, {
        keepEvent: keepEvents,
        endLogins: createEndConnectionLogins(true),
        policy: 'optional',
        mails: mailWriter,
      }),
      ...{ rule, fetcher, deliver, findRoles },
      encryption: key === '' ? undefined : createConnectionEncryption(key, randomBytes),
    } satisfies ConnectionRpcDeps
  }

  /** The deps of a replica that logs people in, whose caches are empty. @param config the variables of social providers */
  function loginDeps(changes: Partial<ConnectionLoginRpcDeps> = {}, config = {}): ConnectionLoginRpcDeps {
    const { social, sessions } = shared.replica()
    const { rule: _, fetcher, ...stored } = deps()
    const { providers: __, logins: ___, accounts: ____, ...beginning } = social
    return {
      ...{ ...beginning, ...stored, sessions, log },
      isOn: true,
      providers: createConnectionProviders({
        ...{ encryption: stored.encryption, config, publicBaseUrl: 'https://auth.example' },
        ...{ now: () => Date.now() + clock.aheadMs, fetch: connectionFetch(fetcher), timeoutMs: 3_000 },
        failuresKeptMs: failuresKept,
      }),
      counted: (kind, outcome) => void counts.push(`${kind} ${outcome}`),
      ...changes,
    }
  }

  /** Begins something at the provider. */
  async function begin(connectionId: string, changes: Partial<BeginningLogin> = {}, of = loginDeps()) {
    const wanted = { connectionId, again: false, purpose: 'login', returnTo: '/account', ...changes } as const
    const begun = await beginConnectionLogin(wanted, of)
    if ('problem' in begun) throw new Error(`it did not begin: ${begun.problem}`)
    return { ...begun, connectionId }
  }
  type Begun = Awaited<ReturnType<typeof begin>>

  /** The query that the person's browser brings back from the provider. */
  async function comeBack({ authorizationUrl, connectionId }: Begun, answer: 'allow' | 'deny' = 'allow') {
    const callback = await answerAt(standIn(), authorizationUrl, answer)
    const address = `https://auth.example/auth/callback/${connectionId}`
    if (callback.origin + callback.pathname !== address) throw new Error(`it came back at ${callback}`)
    return callback.search.slice(1)
  }

  function finish(
    { connectionId, browserSecret }: Begun,
    query: string,
    changes: Partial<ConnectionCallback> = {},
    of = loginDeps(),
  ) {
    const callback = { connectionId, query, browserSecrets: [browserSecret], previousSecret: undefined }
    return finishConnectionLogin(
      { ipAddress: '192.0.2.7', userAgent: 'A browser', ...callback, ...changes },
      of,
    )
  }

  /** Runs something from its beginning to its end. */
  async function run(
    connectionId: string,
    {
      begin: beginning = {},
      finish: finishing = {},
    }: { begin?: Partial<BeginningLogin>; finish?: Partial<ConnectionCallback> } = {},
    of = loginDeps(),
  ) {
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    const begun = await begin(connectionId, beginning, of)
    return finish(begun, await comeBack(begun), finishing, of)
  }

  /** The fields of a connection to the provider. */
  const plain = (): NewConnection => ({
    kind: 'oidc',
    name: 'Example',
    issuer: standIn().issuer,
    ...standInClient,
    clientAuthentication: '',
    scope: '',
    acrValues: '',
    tenants: [],
    trustsSecondFactor: false,
    newUsers: '',
    mapping: [],
    domains: [],
    onLoginPage: true,
    disabled: false,
  })

  /** Creates a connection to the provider. */
  const add = (changes: Partial<NewConnection> = {}, of = deps()): Promise<Connection> =>
    createConnection({ ...plain(), ...changes }, actor, of)

  return { shared, standIn, deps, plain, add, loginDeps, begin, comeBack, finish, run, lines, counts, clock }
}
