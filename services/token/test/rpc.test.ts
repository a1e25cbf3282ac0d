import { randomBytes } from 'node:crypto'
import { emitNothing } from '@gatehouse/kit/emission'
import { Registry } from '@gatehouse/kit/metrics'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc-client'
import { type RpcServer, startRpcServer } from '@gatehouse/kit/rpc-server'
import { grantTypes } from '@gatehouse/proto/grants'
import {
  ConsentDecision,
  ConsentRule,
  type IssueTokenRequest,
  RevocationKind,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import { createAccessTokenSigner } from '../src/access-token.ts'
import type { AccessTokenKey, AccessTokenRecord, Revocation } from '../src/access-token-store.ts'
import type { ClientChange } from '../src/client-change.ts'
import { tokenMetrics } from '../src/metrics.ts'
import { tokenRpcs } from '../src/rpc.ts'
import { noAdministration } from './administration.ts'
import { findAmong, someClient, unchangedClients, usersClient } from './clients.ts'
import { unusedUsage } from './grant-deps.ts'
import { onlyDefault } from './keys.ts'

const issuer = 'https://auth.example'
const signer = createAccessTokenSigner(onlyDefault('a secret of at least thirty-two bytes'), issuer, issuer)
const { log, lines } = recordedLog()
const registry = new Registry()
const live = new Map<string, AccessTokenRecord>()
const revocations: Revocation[] = []
const changes: ClientChange[] = []
const forgotten: string[] = []
const ended: string[] = []
let broken = false
let server: RpcServer
let client: RpcClient<typeof tokenService>

const request = {
  responseType: 'code',
  clientId: 'client_c',
  redirectUri: 'https://app.example/cb',
  scope: 'read',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  codeChallengeMethod: 'S256',
}
const state = 'x'.repeat(8_000)
const waiting = { ...request, id: '0190f0a0-0000-7000-8000-000000000000', state }

beforeAll(async () => {
  const authentication = {
    emit: emitNothing,
    findClient: findAmong([
      someClient(),
      someClient({ clientId: 'client_b' }),
      usersClient({ clientId: 'client_c' }),
    ]),
    now: Date.now,
    signer,
    ...unchangedClients,
    publicClientsEnabled: true,
  }
  const store = {
    insert: async (record: AccessTokenRecord) => {
      if (broken) throw new Error('a bug near token hunter2')
      live.set(record.jti, record)
    },
    findLive: async ({ jti }: AccessTokenKey) => {
      const record = live.get(jti)
      return record && { ...record, permittedScope: record.scope, userId: undefined, username: undefined }
    },
    revoke: async ({ jti }: AccessTokenKey) => live.delete(jti),
  }
  const granted = { userId: 'user-1', scope: 'read' }
  const tokens = { signer, issuer, audience: issuer, accessTokenLifetime: 3600, randomBytes }
  const implementation = tokenRpcs({
    authorization: {
      ...authentication,
      codes: { add: async () => true },
      flows: { add: async () => undefined, find: async () => waiting, end: async () => true },
      log,
      randomBytes,
      authorizationCodeLifetime: 600,
    },
    grants: {
      ...authentication,
      usage: unusedUsage,
      ...tokens,
      store,
      codes: { redeem: async () => granted, inspect: async () => undefined },
      refreshTokenStore: { rotate: async () => undefined, inspect: async () => undefined },
      revocations: { add: async () => undefined },
      refreshTokens: { lifetime: 3600, successorOf: String },
      passwordGrants: { now: async () => 'now', add: async () => undefined },
      enabledGrants: new Set(grantTypes),
      authenticateUser: async () => ({ outcome: 'refused' }),
      repeatedRefresh: () => undefined,
    },
    introspection: {
      ...authentication,
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
    revocations: { add: async (revocation) => void revocations.push(revocation) },
    clientChanges: {
      apply: async (change) => void changes.push(change),
      end: async (clientId) => void ended.push(clientId),
    },
    forgetClient: (clientId) => void forgotten.push(clientId),
    administration: noAdministration(),
    tokenHolders: {
      list: async () => [{ clientId: 'client_a', scopes: ['read write', 'read'], grantedAt: new Date(0) }],
    },
    usage: {
      add: async () => undefined,
      setActiveTokens: async () => undefined,
      minutesSince: async (time) => [{ time, issued: { password: 3n }, refused: {}, activeTokens: 7n }],
      ofClient: async () => ({
        days: [{ time: new Date(0), issued: 5n, refused: 1n }],
        lastUsedAt: new Date(9),
      }),
    },
    metrics: tokenMetrics(registry, ['client_credentials', 'authorization_code']),
    log,
  })
  const options = { host: '127.0.0.1', port: 0, actor: 'token', log, registry }
  server = await startRpcServer([implementation], options, () => undefined)
  client = createRpcClient(tokenService, `127.0.0.1:${server.port}`, 5_000)
})

afterAll(async () => {
  client.close()
  await server.close(0)
})

const credentials = (clientSecret = 'right', clientId = 'client_a') => [{ clientId, clientSecret }]

async function issue(): Promise<string> {
  const { results } = await client.issueTokens({ items: [{ credentials: credentials(), scope: '' }] })
  const outcome = results[0]?.outcome
  return outcome?.$case === 'token' ? outcome.value.accessToken : expect.unreachable('no token')
}

const counted = async (name: string) => {
  const text = await registry.metrics()
  return Number(new RegExp(`^oauth2_server_${name} (.*)$`, 'm').exec(text)?.[1])
}

test('each item of a batch has its own result, in the order of the request', async () => {
  const before = await counted('oauth_token_issued_total\\{grant_type="client_credentials"\\}')
  const { results } = await client.issueTokens({
    items: [
      { credentials: credentials(), scope: 'read' },
      { credentials: credentials('wrong'), scope: '' },
      { credentials: credentials(), scope: 'admin' },
      { credentials: [], scope: '' },
      { credentials: credentials(), scope: '' },
    ],
  })
  expect(
    results.map(({ outcome }) => (outcome?.$case === 'failure' ? outcome.value.code : outcome?.value)),
  ).toEqual([
    { accessToken: expect.any(String), expiresIn: 3600, scope: 'read' },
    'invalid_client',
    'invalid_scope',
    'invalid_client',
    { accessToken: expect.any(String), expiresIn: 3600, scope: 'read write' },
  ])
  expect(await counted('oauth_token_issued_total\\{grant_type="client_credentials"\\}')).toBe(before + 2)
})

test('an item that fails by our own fault tells nothing of why', async () => {
  broken = true
  const { results } = await client.issueTokens({ items: [{ credentials: credentials(), scope: '' }] })
  broken = false
  expect(results[0]?.outcome).toMatchObject({ $case: 'failure', value: { code: 'server_error' } })
  expect(JSON.stringify(results)).not.toContain('hunter2')
})

test('introspection tells active, inactive and refused items apart', async () => {
  const token = await issue()
  const { results } = await client.introspectTokens({
    items: [
      { token, credentials: [] },
      { token: 'unknown', credentials: credentials() },
      { token, credentials: credentials('wrong') },
    ],
  })
  expect(results.map(({ outcome }) => outcome?.$case)).toEqual(['active', 'inactive', 'failure'])
  const claims = await signer.verify(token)
  expect(results[0]?.outcome?.value).toEqual({
    scope: 'read write',
    clientId: 'client_a',
    username: 'client_a',
    exp: claims?.exp,
    iat: claims?.iat,
    sub: 'client_a',
    aud: issuer,
    iss: issuer,
    jti: claims?.jti,
  })
  expect(results[2]?.outcome).toMatchObject({ value: { code: 'invalid_client' } })
})

test('a revoked token is counted once, and is inactive', async () => {
  const token = await issue()
  const before = await counted('oauth_token_revoked_total')
  await client.revokeToken({ token, credentials: credentials() })
  await client.revokeToken({ token, credentials: credentials() })
  expect(await counted('oauth_token_revoked_total')).toBe(before + 1)
  const { results } = await client.introspectTokens({ items: [{ token, credentials: [] }] })
  expect(results[0]?.outcome?.$case).toBe('inactive')
})

test('a refused revocation is the call’s refusal', async () => {
  const token = await issue()
  await expect(
    client.revokeToken({ token, credentials: credentials('right', 'client_b') }),
  ).rejects.toMatchObject({ code: 'unauthorized_client' })
  await expect(client.revokeToken({ token, credentials: [] })).rejects.toMatchObject({
    code: 'invalid_client',
  })
})

test('every failed client authentication is counted, in each of the calls', async () => {
  const name = 'oauth_failed_authentications_total\\{kind="client"\\}'
  const before = await counted(name)
  await client.issueTokens({ items: [{ credentials: credentials('wrong'), scope: '' }] })
  await client.introspectTokens({ items: [{ token: 'x', credentials: credentials('wrong') }] })
  await client.revokeToken({ token: 'x', credentials: credentials('wrong') }).catch(() => undefined)
  expect(await counted(name)).toBe(before + 3)
})

test.each([
  [RevocationKind.REVOCATION_KIND_GRANT, 'grant'],
  [RevocationKind.REVOCATION_KIND_CLIENT, 'client'],
  [RevocationKind.REVOCATION_KIND_USER, 'user'],
  [RevocationKind.REVOCATION_KIND_CONSENT, 'consent'],
] as const)('RevokeMany of kind %i is kept as %s', async (kind, name) => {
  const issuedBefore = new Date('2030-01-01T00:00:00.123Z')
  await client.revokeMany({ kind, id: 'some id', issuedBefore })
  expect(revocations.at(-1)).toEqual({ kind: name, id: 'some id', issuedBefore })
  await client.revokeMany({ kind, id: 'some id', issuedBefore: undefined })
  expect(revocations.at(-1)).toEqual({ kind: name, id: 'some id', issuedBefore: undefined })
})

test('RevokeMany of nothing is refused', async () => {
  const issuedBefore = undefined
  revocations.length = 0
  for (const request of [
    { kind: RevocationKind.REVOCATION_KIND_UNSPECIFIED, id: 'a', issuedBefore },
    { kind: RevocationKind.REVOCATION_KIND_USER, id: '', issuedBefore },
    { kind: 99 as RevocationKind, id: 'a', issuedBefore },
  ]) {
    await expect(client.revokeMany(request)).rejects.toMatchObject({ code: 'invalid_request' })
  }
  expect(revocations).toEqual([])
})

test('the number of active tokens is shown only while this replica says it', async () => {
  const other = new Registry()
  const metrics = tokenMetrics(other, [])
  const shown = async () => /^oauth2_server_oauth_active_tokens (.*)$/m.exec(await other.metrics())?.[1]
  expect(await shown()).toBeUndefined()
  metrics.setActive(12)
  expect(await shown()).toBe('12')
  metrics.setActive(undefined)
  expect(await shown()).toBeUndefined()
})

const user = { userId: 'user-1', username: 'ann', seenAt: new Date(), consented: undefined }
const pending = {
  flowId: waiting.id,
  clientId: 'client_c',
  clientName: 'Acme',
  redirectUri: 'https://app.example/cb',
  scope: 'read',
}

test('an authorization request is begun, shown, continued and answered, and its code is counted', async () => {
  const before = await counted('oauth_authorization_codes_issued_total')
  const begun = await client.beginAuthorization({ request, state, user: undefined, dryRun: false })
  expect(begun.next?.step).toEqual({
    $case: 'logIn',
    value: { ...pending, flowId: expect.stringMatching(/^[\da-f-]{36}$/) },
  })
  expect(await client.getAuthorization({ flowId: waiting.id })).toEqual({ authorization: pending })
  const go = async (decision: ConsentDecision) =>
    (await client.continueAuthorization({ flowId: waiting.id, user, decision })).next?.step
  expect(await go(ConsentDecision.CONSENT_DECISION_UNSPECIFIED)).toEqual({
    $case: 'askConsent',
    value: pending,
  })
  const { redirectUri } = pending
  expect(await go(ConsentDecision.CONSENT_DECISION_DENIED)).toEqual({
    $case: 'respond',
    value: {
      clientId: 'client_c',
      redirectUri,
      state,
      outcome: { $case: 'failure', value: { code: 'access_denied', description: expect.any(String) } },
    },
  })
  expect(await go(ConsentDecision.CONSENT_DECISION_ALLOWED)).toEqual({
    $case: 'respond',
    value: {
      clientId: 'client_c',
      redirectUri,
      state,
      outcome: { $case: 'code', value: expect.stringMatching(/^[\w-]{43}$/) },
    },
  })
  expect(await counted('oauth_authorization_codes_issued_total')).toBe(before + 1)
})

test('usage is told by the minute, and of a client by the day', async () => {
  const since = new Date(60_000)
  expect(await client.listUsage({ since })).toEqual({
    minutes: [{ time: since, issued: { password: 3n }, refused: {}, activeTokens: 7n }],
  })
  const asked = { clientId: 'client_a', days: 90 }
  expect(await client.listClientUsage(asked)).toEqual({
    days: [{ time: new Date(0), issued: 5n, refused: 1n }],
    lastUsedAt: new Date(9),
  })
  for (const days of [0, 91])
    await expect(client.listClientUsage({ ...asked, days })).rejects.toMatchObject({
      code: 'invalid_request',
    })
})

test('an authorization of nothing, or of nobody, is refused', async () => {
  const refused = { code: 'invalid_request' }
  await expect(
    client.beginAuthorization({ request: undefined, state, user, dryRun: false }),
  ).rejects.toMatchObject(refused)
  const nobody = { flowId: waiting.id, user: undefined, decision: ConsentDecision.CONSENT_DECISION_ALLOWED }
  await expect(client.continueAuthorization(nobody)).rejects.toMatchObject(refused)
})

test('a gateway of 0.2.0 is answered with what the user must be told', async () => {
  expect(await client.checkAuthorizationRequest({ request })).toEqual({
    clientId: 'client_c',
    clientName: 'Acme',
    scope: 'read',
    consent: ConsentRule.CONSENT_RULE_REMEMBERED,
  })
  await expect(
    client.checkAuthorizationRequest({ request: { ...request, clientId: 'client_x' } }),
  ).rejects.toMatchObject({ code: 'invalid_client' })
  await expect(client.checkAuthorizationRequest({ request: undefined })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

test('a code is given to a gateway of 0.2.0, and counted', async () => {
  const before = await counted('oauth_authorization_codes_issued_total')
  const { code } = await client.createAuthorizationCode({
    request,
    userId: 'user-1',
    username: 'ann',
    grantedAt: new Date(),
  })
  expect(code).toMatch(/^[\w-]{43}$/)
  await client
    .createAuthorizationCode({ request, userId: '', username: '', grantedAt: undefined })
    .catch(() => undefined)
  expect(await counted('oauth_authorization_codes_issued_total')).toBe(before + 1)
})

const asked = credentials('right', 'client_c')
const grantRequest = (changes: Partial<IssueTokenRequest>): IssueTokenRequest => ({
  ...{ credentials: asked, grantType: '', parameters: {}, ipAddress: '192.0.2.1', grant: undefined },
  ...changes,
})

test.each<[string, NonNullable<IssueTokenRequest['grant']>]>([
  [
    'authorization_code',
    { $case: 'authorizationCode', value: { code: 'c', codeVerifier: 'v'.repeat(43), redirectUri: '' } },
  ],
  ['refresh_token', { $case: 'refreshToken', value: { refreshToken: 'r', scope: '' } }],
  [
    'password',
    { $case: 'password', value: { username: 'ann', password: 'x', scope: '', ipAddress: '192.0.2.1' } },
  ],
])('what a gateway of 0.2.0 sends for %s is understood', async (grantType, grant) => {
  const outcome = await client.issueToken(grantRequest({ grant, ipAddress: '' })).then(
    () => 'issued',
    ({ code }) => code,
  )
  expect(outcome).toBe(grantType === 'authorization_code' ? 'issued' : 'invalid_grant')
})

test('a token for a code is answered and counted by its grant', async () => {
  const name = 'oauth_token_issued_total\\{grant_type="authorization_code"\\}'
  const before = await counted(name)
  const parameters = { code: 'c', code_verifier: 'v'.repeat(43) }
  const { token } = await client.issueToken(grantRequest({ grantType: 'authorization_code', parameters }))
  expect(token).toEqual({
    accessToken: expect.any(String),
    expiresIn: 3600,
    scope: 'read',
    refreshToken: expect.any(String),
  })
  expect(await counted(name)).toBe(before + 1)
})

test('why a refresh token was refused is told to the log alone, and nothing of the token', async () => {
  lines.length = 0
  const refreshToken = 'hunter2'.repeat(6)
  await expect(
    client.issueToken(
      grantRequest({ grantType: 'refresh_token', parameters: { refresh_token: refreshToken } }),
    ),
  ).rejects.toMatchObject({ code: 'invalid_grant', description: expect.not.stringContaining('no such') })
  expect(JSON.stringify(lines)).toContain('the client has no such refresh token')
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})

test('a failed client is counted; a failed user is not, since the identity service counts him', async () => {
  const failed = () => counted('oauth_failed_authentications_total\\{kind="client"\\}')
  const before = await failed()
  const parameters = { username: 'ann', password: 'wrong' }
  const issueBy = (credentials: typeof asked) =>
    client.issueToken(grantRequest({ credentials, grantType: 'password', parameters }))
  await expect(issueBy(asked)).rejects.toMatchObject({ code: 'invalid_grant' })
  expect(await failed()).toBe(before)
  await expect(issueBy(credentials('wrong', 'client_c'))).rejects.toMatchObject({ code: 'invalid_client' })
  expect(await failed()).toBe(before + 1)
})

test('a client that was deleted ends with its changes', async () => {
  await client.revokeMany({
    kind: RevocationKind.REVOCATION_KIND_CLIENT,
    id: 'client_gone',
    issuedBefore: undefined,
  })
  expect([ended.at(-1), forgotten.at(-1)]).toEqual(['client_gone', 'client_gone'])
})

test('a call without a grant is refused', async () => {
  await expect(client.issueToken(grantRequest({}))).rejects.toMatchObject({
    code: 'unsupported_grant_type',
  })
})
