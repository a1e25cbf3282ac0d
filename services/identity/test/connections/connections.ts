import { randomBytes, randomUUID } from 'node:crypto'
import { keepNothing } from '@gatehouse/data/pending-events'
import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { standInClient } from '@gatehouse/test/servers/social-stand-in'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Connection } from '../../src/connections/connection.ts'
import { createConnection, type NewConnection } from '../../src/connections/connection-change.ts'
import { createConnectionEncryption } from '../../src/connections/connection-secrets.ts'
import type { FindMappableRoles } from '../../src/connections/mapping-rule.ts'
import type { ConnectionRpcDeps } from '../../src/rpc/connection-rpc.ts'
import { createEndConnectionLogins } from '../../src/store/connection-ends.ts'
import { connectionStores } from '../../src/store/connections/connection-stores.ts'
import { actor, useReplicas } from '../store/replica.ts'

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

/** Starts a provider, and replicas that have connections. */
export function useConnections() {
  const shared = useReplicas({ recorded: true })
  let started: OpenIdStandIn | undefined
  const standIn = () => {
    if (started === undefined) throw new Error('call this from a test: the provider starts in beforeAll')
    return started
  }
  const closing: (() => void)[] = []

  beforeAll(async () => {
    started = await startOpenIdStandIn('google')
    started.register('https://auth.example/auth/callback/nobody')
  })
  afterEach(() => {
    Object.assign(standIn(), {
      trouble: 'none',
      troubledPath: '',
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
        keepEvent: keepNothing,
        endLogins: createEndConnectionLogins(true),
        policy: 'optional',
      }),
      ...{ rule, fetcher, deliver, findRoles },
      encryption: key === '' ? undefined : createConnectionEncryption(key, randomBytes),
    } satisfies ConnectionRpcDeps
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

  return { shared, standIn, deps, plain, add }
}
