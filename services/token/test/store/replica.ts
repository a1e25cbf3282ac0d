import { hash, randomBytes, randomUUID } from 'node:crypto'
import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import type { Database } from '@gatehouse/prisma/database'
import { type GrantType, grantTypes } from '@gatehouse/proto/grants'
import type { PushedRequests } from '@gatehouse/proto/pushed-requests'
import { announcedRevocations } from '../../src/administration/announced-revocations.ts'
import { noAuthority } from '../../src/authority/authority.ts'
import { createCode } from '../../src/authorization/authorization-code.ts'
import {
  findRequestingClient,
  judgeRequest,
  type ScopeWidening,
  type SentRequest,
} from '../../src/authorization/authorization-request.ts'
import type { Client } from '../../src/clients/client-authentication.ts'
import { noResourceIndicators } from '../../src/clients/resource-indicators.ts'
import type { AuthenticateUser } from '../../src/grants/password.ts'
import { type GrantDeps, issueTokens } from '../../src/grants/table.ts'
import type { SessionGrant } from '../../src/openid/session-grant.ts'
import { createAccessTokenStore } from '../../src/store/access-tokens.ts'
import { createAuthorizationCodeStore } from '../../src/store/authorization-codes.ts'
import { createClientChangeStore } from '../../src/store/client-changes.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { createPasswordGrantStore } from '../../src/store/password-grants.ts'
import { createProofStore } from '../../src/store/proofs/spent-proofs.ts'
import { createRefreshTokenStore } from '../../src/store/refresh-tokens.ts'
import { createRevocationStore } from '../../src/store/revocations.ts'
import { createUsageStore } from '../../src/store/usage.ts'
import { introspect, revoke } from '../../src/tokens/introspection.ts'
import { createSuccession } from '../../src/tokens/refresh-token.ts'
import { countUsage } from '../../src/tokens/usage.ts'
import { anyMethod, findAmong, nothing, presenting, publicClient, usersClient } from '../clients/clients.ts'
import { defaultSigner } from '../keys/keys.ts'

const issuer = 'https://auth.example'
const secret = 'a secret of at least thirty-two bytes'

/** The code_verifier with which tests redeem their codes. */
export const verifier = 'a-verifier-of-at-least-forty-three-characters_.~'
export const redirectUri = 'https://app.example/cb'

/** A valid authorization request for most of the clients. */
export const authorizationRequest = {
  responseType: 'code',
  clientId: 'client_a',
  redirectUri,
  scope: 'read write',
  codeChallenge: hash('sha256', verifier, 'base64url'),
  codeChallengeMethod: 'S256',
  resources: [],
  state: undefined,
}

const clients: Client[] = [
  usersClient(),
  usersClient({ clientId: 'client_b' }),
  usersClient({ clientId: 'client_codes', grantTypes: new Set(['authorization_code']) }),
  publicClient({ clientId: 'client_public' }),
]

type Changes = Partial<Omit<GrantDeps, 'codes' | 'refreshTokenStore' | 'revocations' | 'store'>>

const authenticateUser: AuthenticateUser = async () => ({
  outcome: 'user',
  userId: 'user-1',
  username: 'ann',
})

/** Starts a replica without RPCs: the domain functions on stores with one pool. */
export function startReplica(database: Database, changes: Changes = {}) {
  const storeDeps = { database, makePartitions: createPartitions(database).make, keptFor: 7 * 86_400 }
  const store = createAccessTokenStore(storeDeps)
  const codes = createAuthorizationCodeStore(storeDeps)
  const refreshTokenStore = createRefreshTokenStore(storeDeps)
  const { emit, events } = recordedEvents()
  const revocations = announcedRevocations(createRevocationStore(database, 3600), emit)
  const usageStore = createUsageStore(database)
  const { usage, write: writeUsage } = countUsage(usageStore)
  const deps = {
    emit,
    usage,
    findClient: findAmong(clients),
    refreshClient: async () => false,
    clientChanges: createClientChangeStore(database, 30 * 86_400),
    ...{ ...anyMethod, proofs: createProofStore(database) },
    repeatedRefresh: () => undefined,
    resourceIndicators: noResourceIndicators,
    authority: noAuthority,
    scopeWidening: undefined as ScopeWidening | undefined,
    pushedRequests: 'on' as PushedRequests,
    now: Date.now,
    publicClientsEnabled: true,
    idTokens: undefined,
    signer: defaultSigner(secret, issuer, issuer),
    issuer,
    audience: issuer,
    accessTokenLifetime: 3600,
    store,
    codes,
    refreshTokenStore,
    revocations,
    randomBytes,
    refreshTokens: { lifetime: 86_400, successorOf: createSuccession(secret) },
    passwordGrants: createPasswordGrantStore(storeDeps),
    enabledGrants: new Set(grantTypes),
    authenticateUser,
    isAwaited: () => true,
    ...changes,
  }
  const by = (clientId: string) => presenting(clientId === 'client_public' ? '' : 'right', clientId)
  const issue = (
    grantType: GrantType,
    parameters: Record<string, string>,
    clientId: string,
    resources: readonly string[] = [],
  ) =>
    issueTokens({ grantType, parameters, resources, presented: by(clientId), ipAddress: '192.0.2.1' }, deps)

  return {
    ...deps,
    usageStore,
    writeUsage,
    issue,
    /** The emitted events. */
    events,
    /** Creates a code for a new user, and returns both. */
    authorize(clientId = 'client_a', lifetime = 600, scope = 'read write', sentTo = redirectUri) {
      return this.authorizeIn(undefined, { clientId, lifetime, scope, sentTo })
    },
    /** Checks an authorization request without parameters of OpenID Connect. */
    async check(request: Omit<SentRequest, 'openid'>) {
      const checking = { ...deps, openid: undefined }
      const { client, redirectUri } = await findRequestingClient(request, checking)
      const named = { ...request, clientId: client.clientId, redirectUri }
      return judgeRequest(named, undefined, client, checking)
    },
    /** The same in a session. */
    async authorizeIn(
      session: SessionGrant | undefined,
      { clientId = 'client_a', lifetime = 600, scope = 'read write', sentTo = redirectUri } = {},
    ) {
      const userId = randomUUID()
      const request = { ...authorizationRequest, clientId, redirectUri: sentTo, scope }
      const judged = await this.check(request)
      const code = await createCode(
        { ...judged, grant: { ...judged.grant, session } },
        undefined,
        { userId, username: 'ann', seenAt: new Date() },
        { ...deps, openid: undefined, authorizationCodeLifetime: lifetime },
      )
      return { code: code ?? '', userId }
    },
    redeem: (
      code: string,
      {
        clientId = 'client_a',
        codeVerifier = verifier,
        redirectUri = '',
        resources = [] as readonly string[],
      } = {},
    ) =>
      issue(
        'authorization_code',
        { code, code_verifier: codeVerifier, ...(redirectUri !== '' && { redirect_uri: redirectUri }) },
        clientId,
        resources,
      ),
    refresh: (
      refreshToken = '',
      { clientId = 'client_a', scope = '', resources = [] as readonly string[] } = {},
    ) => issue('refresh_token', { refresh_token: refreshToken, scope }, clientId, resources),
    logIn: (scope = '', resources: readonly string[] = []) =>
      issue('password', { username: 'ann', password: 'hers', scope }, 'client_a', resources),
    /** Issues a token to the client itself. */
    work: (clientId: string, scope = '', resources: readonly string[] = []) =>
      issue('client_credentials', { scope }, clientId, resources),
    revoke: (token: string, clientId = 'client_a') => revoke({ token, presented: by(clientId) }, deps),
    /** @param clientId the client that asks; empty for nobody */
    introspect: (token: string, clientId = '') =>
      introspect(
        { token, presented: clientId === '' ? nothing : by(clientId) },
        { ...deps, requireAuthentication: false, refreshTokenLifetime: 86_400, refreshTokensEnabled: true },
      ),
    /** Whether the token is active by introspection. */
    async isActive({ accessToken }: { accessToken: string }) {
      return (await this.introspect(accessToken)) !== undefined
    },
  }
}

/** The results of the attempts that succeeded, and the errors of the others. */
export async function outcomes<Result>(attempts: readonly Promise<Result>[]) {
  const settled = await Promise.allSettled(attempts)
  return {
    succeeded: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    refused: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
  }
}
