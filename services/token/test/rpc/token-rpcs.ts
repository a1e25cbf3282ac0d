import { randomBytes } from 'node:crypto'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { readPublicKey } from '@gatehouse/kit/keys/public-key'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { grantTypes } from '@gatehouse/proto/grants'
import { TokenServiceService as tokenService } from '@gatehouse/proto/token/v1'
import type { AuthorityChange } from '../../src/authority/authority-change.ts'
import type { Proof } from '../../src/clients/assertions/proof.ts'
import { replayed } from '../../src/clients/client-authentication.ts'
import type { FailureKey } from '../../src/clients/client-authentication-failure.ts'
import { createClientKeys } from '../../src/clients/public-keys/client-keys.ts'
import { KeysNeeded } from '../../src/clients/public-keys/fetched-keys.ts'
import { tokenMetrics } from '../../src/metrics.ts'
import { tokenRpcs } from '../../src/rpc/rpc.ts'
import type { AccessTokenKey, AccessTokenRecord, Revocation } from '../../src/tokens/access-token-store.ts'
import { noAdministration, noSigningKeys } from '../administration/administration.ts'
import { type ClientKey, clientKey, keyedClient } from '../clients/assertions/signed.ts'
import {
  findAmong,
  nothing,
  presenting,
  someClient,
  unchangedClients,
  usersClient,
} from '../clients/clients.ts'
import { unusedUsage } from '../grants/grant-deps.ts'
import { defaultSigner } from '../keys/keys.ts'
import { clientGrant, userGrant } from '../tokens/granted.ts'

/** The issuer of the tokens, who is their audience too. */
export const issuer = 'https://auth.example'

/** Signs the tokens. */
export const signer = defaultSigner('a secret of at least thirty-two bytes', issuer, issuer)

/** An authorization request of `client_c`. */
export const request = {
  responseType: 'code',
  clientId: 'client_c',
  redirectUri: 'https://app.example/cb',
  scope: 'read',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  codeChallengeMethod: 'S256',
  openid: {},
  resources: [],
}

/** Its client’s state, which comes back as it was. */
export const state = 'x'.repeat(8_000)

/** The request while it waits for its user. */
export const waiting = {
  ...request,
  grant: clientGrant({ clientId: request.clientId, scope: request.scope }),
  id: '0190f0a0-0000-7000-8000-000000000000',
  state,
  openid: undefined,
  ...{ namedOrganization: undefined, organizationChoice: undefined },
  begunAt: new Date(),
}

/** Everything that a client presents, as a call has it. */
export const presented = (...secretAndId: Parameters<typeof presenting>) => ({
  credentials: [],
  presented: presenting(...secretAndId),
})

/** The same of somebody who presents nothing. */
export const unpresented = { credentials: [], presented: nothing }

/** The token service's RPCs on a port, over stores that only remember. */
export type TokenRpcServer = {
  client: RpcClient<typeof tokenService>
  /** The log, a line an object. */
  lines: ReturnType<typeof recordedLog>['lines']
  /** The calls of the service to its stores, the oldest first. */
  received: {
    revocations: Revocation[]
    sessions: string[]
    connections: unknown[]
    ended: string[]
    forgotten: string[]
    authorityChanges: AuthorityChange[]
    /** Each time that the resource servers were to be read again. */
    rereads: 'read again'[]
    failures: FailureKey[]
  }
  /** While it is true, the store of access tokens fails by a bug. */
  faults: { broken: boolean }
  /** The key of `client_key`, and of `client_address`, which publishes it. */
  key: ClientKey
  /** The value of a metric, by the pattern of its name without `oauth2_server_` and its labels. */
  counted(name: string): Promise<number>
  close(): Promise<void>
}

/** Starts the RPCs. `client_a` and `client_b` act for themselves, `client_c` for its users. */
export async function startTokenRpcs(): Promise<TokenRpcServer> {
  const { log, lines } = recordedLog()
  const registry = new Registry()
  const live = new Map<string, AccessTokenRecord>()
  const received: TokenRpcServer['received'] = {
    revocations: [],
    sessions: [],
    connections: [],
    ended: [],
    forgotten: [],
    authorityChanges: [],
    rereads: [],
    failures: [],
  }
  const faults = { broken: false }
  const key = clientKey()
  const published = readPublicKey(key.jwk)
  const publishedKeys = 'key' in published ? [published.key] : []
  const spent = new Map<string, string>()
  /** As the store does: a proof stays with the first attempt. */
  const spend = (proof: Proof) => {
    const digest = Buffer.from(proof.digest).toString('hex')
    if ((spent.get(digest) ?? proof.attempt) !== proof.attempt) throw replayed(proof)
    spent.set(digest, proof.attempt)
  }
  const authentication = {
    emit: emitNothing,
    findClient: findAmong([
      someClient(),
      someClient({ clientId: 'client_b' }),
      usersClient({ clientId: 'client_c' }),
      keyedClient([key], { clientId: 'client_key' }),
      keyedClient([], { clientId: 'client_address', metadata: { jwks_uri: 'https://app.example/jwks' } }),
    ]),
    now: Date.now,
    signer,
    ...unchangedClients,
    keys: createClientKeys({
      async find(_client, _uri, mayWait) {
        if (!mayWait) throw new KeysNeeded()
        return publishedKeys
      },
      newer: async () => undefined,
    }),
    proofs: { spend: async (proof: Proof) => spend(proof) },
    publicClientsEnabled: true,
  }
  const store = {
    now: async () => 'now',
    insert: async (record: AccessTokenRecord) => {
      if (faults.broken) throw new Error('a bug near token hunter2')
      if (record.proof) spend(record.proof)
      live.set(record.jti, record)
    },
    findLive: async ({ jti }: AccessTokenKey) => {
      const record = live.get(jti)
      return record && { grant: record.grant, permittedScope: record.grant.scope }
    },
    revoke: async ({ jti }: AccessTokenKey) => live.delete(jti),
  }
  const granted = { grant: userGrant() }
  const tokens = { signer, issuer, audience: issuer, accessTokenLifetime: 3600, randomBytes }
  const implementation = tokenRpcs({
    openid: undefined,
    authorization: {
      ...authentication,
      openid: undefined,
      scopeWidening: undefined,
      pushedRequests: 'on',
      codes: { add: async () => true },
      flows: {
        ...{ add: async () => undefined, find: async () => waiting, end: async () => true },
        ...{ choose: async () => true, push: async () => undefined, visit: async () => waiting },
      },
      readClientIdDocument: async () => undefined,
      log,
      randomBytes,
      authorizationCodeLifetime: 600,
    },
    grants: {
      ...authentication,
      idTokens: undefined,
      usage: unusedUsage,
      ...tokens,
      store,
      codes: {
        findGrant: async () => undefined,
        redeem: async () => granted,
        inspect: async () => undefined,
      },
      refreshTokenStore: {
        findGrant: async () => undefined,
        rotate: async () => undefined,
        inspect: async () => undefined,
      },
      revocations: { add: async () => undefined },
      refreshTokens: { lifetime: 3600, successorOf: String },
      passwordGrants: { add: async () => undefined },
      enabledGrants: new Set(grantTypes),
      authenticateUser: async () => ({ outcome: 'refused' }),
      repeatedRefresh: () => undefined,
    },
    introspection: {
      ...authentication,
      audience: issuer,
      store,
      refreshTokenStore: { findLive: async () => undefined },
      refreshTokenLifetime: 3600,
      refreshTokensEnabled: true,
      requireAuthentication: false,
    },
    revocation: {
      ...authentication,
      store,
      refreshTokenStore: { find: async () => undefined },
      revocations: { add: async () => undefined },
    },
    revocations: { add: async (revocation) => void received.revocations.push(revocation) },
    sessionEnd: { sessionEnds: { add: async (id) => received.sessions.push(id) > 0 }, emit: emitNothing },
    endConnection: async (end) => void received.connections.push(end),
    clientChanges: {
      apply: async () => undefined,
      end: async (clientId) => void received.ended.push(clientId),
    },
    authorityChanges: { apply: async (change) => void received.authorityChanges.push(change) },
    rereadResourceServers: () => void received.rereads.push('read again'),
    forgetClients: async () => undefined,
    findUsedClients: async () => [],
    forgetClient: (clientId) => void received.forgotten.push(clientId),
    administration: noAdministration(),
    signingKeys: noSigningKeys,
    authenticationFailures: { list: async () => [] },
    countFailure: (failure) => void received.failures.push(failure),
    preview: { ...authentication, ...tokens, findProfile: async () => undefined, openid: false },
    tokenHolders: {
      list: async () => [
        {
          ...{ clientId: 'client_a', organizationId: undefined },
          ...{ scopes: ['read write', 'read'], grantedAt: new Date(0) },
        },
      ],
    },
    usage: {
      add: async () => undefined,
      setActiveTokens: async () => undefined,
      topClients: async (days, limit) => [
        { clientId: `client_${days}_${limit}`, issued: 5n, refused: 1n, lastUsedAt: undefined },
      ],
      countSince: async (time) => [{ time, issued: { password: 3n }, refused: {}, activeTokens: 7n }],
      ofClient: async () => ({
        days: [{ time: new Date(0), issued: 5n, refused: 1n }],
        lastUsedAt: new Date(9),
      }),
    },
    metrics: tokenMetrics(registry, {
      grantTypes: ['client_credentials', 'authorization_code'],
      algorithms: ['HS256'],
    }),
    log,
  })
  const options = { host: '127.0.0.1', port: 0, actor: 'token', log, registry }
  const server = await startRpcServer([implementation], options, () => undefined)
  const client = createRpcClient(tokenService, `127.0.0.1:${server.port}`, 5_000)
  return {
    client,
    lines,
    received,
    faults,
    key,
    async counted(name) {
      const text = await registry.metrics()
      return Number(new RegExp(`^oauth2_server_${name} (.*)$`, 'm').exec(text)?.[1])
    },
    async close() {
      client.close()
      await server.close(0)
    },
  }
}
