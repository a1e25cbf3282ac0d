import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { authorityOfRoles, authorityOfUser } from '@gatehouse/proto/authority'
import { type IssueTokenRequest, RevocationKind } from '@gatehouse/proto/token/v1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenMetrics } from '../../src/metrics.ts'
import { issuer, presented, signer, startTokenRpcs, type TokenRpcServer, unpresented } from './token-rpcs.ts'

let rpcs: TokenRpcServer
beforeAll(async () => {
  rpcs = await startTokenRpcs()
})
afterAll(() => rpcs?.close())

/** A request for client_credentials. */
const asked = (changes: Partial<IssueTokenRequest> = {}): IssueTokenRequest => ({
  ...{ ...presented(), grantType: 'client_credentials', parameters: {} },
  ...{ resources: [], ipAddress: '', ...changes },
})

async function issue(): Promise<string> {
  const { results } = await rpcs.client.issue({
    items: [asked()],
  })
  const outcome = results[0]?.outcome
  return outcome?.$case === 'token' ? outcome.value.accessToken : expect.unreachable('no token')
}

test('each item of a batch has its own result, in the order of the request', async () => {
  const before = await rpcs.counted('oauth_token_issued_total\\{grant_type="client_credentials"\\}')
  const { results } = await rpcs.client.issue({
    items: [
      asked({ parameters: { scope: 'read' } }),
      asked({ ...presented('wrong') }),
      asked({ parameters: { scope: 'admin' } }),
      asked({ ...unpresented }),
      asked(),
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
  expect(await rpcs.counted('oauth_token_issued_total\\{grant_type="client_credentials"\\}')).toBe(before + 2)
})

test('an item that fails by our own fault tells nothing of why', async () => {
  rpcs.faults.broken = true
  const { results } = await rpcs.client.issue({
    items: [asked()],
  })
  rpcs.faults.broken = false
  expect(results[0]?.outcome).toMatchObject({ $case: 'failure', value: { code: 'server_error' } })
  expect(JSON.stringify(results)).not.toContain('hunter2')
})

test('introspection tells active, inactive and refused items apart', async () => {
  const token = await issue()
  const { results } = await rpcs.client.introspectTokens({
    items: [
      { token, ...unpresented },
      { token: 'unknown', ...presented() },
      { token, ...presented('wrong') },
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
    audiences: [],
    refreshToken: undefined,
    iss: issuer,
    jti: claims?.jti,
    ofUser: false,
  })
  expect(results[2]?.outcome).toMatchObject({ value: { code: 'invalid_client' } })
})

test('a revoked token is counted once, and is inactive', async () => {
  const token = await issue()
  const before = await rpcs.counted('oauth_token_revoked_total')
  await rpcs.client.revokeToken({ token, ...presented() })
  await rpcs.client.revokeToken({ token, ...presented() })
  expect(await rpcs.counted('oauth_token_revoked_total')).toBe(before + 1)
  const { results } = await rpcs.client.introspectTokens({ items: [{ token, ...unpresented }] })
  expect(results[0]?.outcome?.$case).toBe('inactive')
})

test('a refused revocation is the call’s refusal', async () => {
  const token = await issue()
  await expect(rpcs.client.revokeToken({ token, ...presented('right', 'client_b') })).rejects.toMatchObject({
    code: 'unauthorized_client',
  })
  await expect(rpcs.client.revokeToken({ token, ...unpresented })).rejects.toMatchObject({
    code: 'invalid_client',
  })
})

test('a failed client authentication is told with its reason, endpoint and address; an unknown client’s is not', async () => {
  rpcs.received.failures.length = 0
  const ipAddress = '192.0.2.7'
  await rpcs.client.issue({
    items: [
      asked({ ipAddress, ...presented('wrong') }),
      asked({ ipAddress, ...presented('') }),
      asked({ ipAddress, ...presented('wrong', 'a secret in the wrong place') }),
      asked({ ipAddress }),
      asked({ ipAddress, grantType: 'password', ...presented('wrong', 'client_c') }),
    ],
  })
  await rpcs.client.introspectTokens({
    items: [{ token: 'x', ...presented('wrong'), ipAddress }],
  })
  const revoking = rpcs.client.revokeToken({ token: 'x', ...presented('wrong'), ipAddress })
  await expect(revoking).rejects.toMatchObject({ code: 'invalid_client' })
  // A gateway of the release before does not say the address.
  await rpcs.client.introspectTokens({ items: [{ token: 'x', ...presented('wrong') }] })
  const wrong = { clientId: 'client_a', reason: 'wrong_secret', ipAddress }
  expect(rpcs.received.failures).toEqual([
    { ...wrong, endpoint: 'token' },
    { ...wrong, endpoint: 'token', reason: 'no_secret' },
    { ...wrong, endpoint: 'token', clientId: 'client_c' },
    { ...wrong, endpoint: 'introspection' },
    { ...wrong, endpoint: 'revocation' },
    { ...wrong, endpoint: 'introspection', ipAddress: undefined },
  ])
})

test('every failed client authentication is counted, in each of the calls', async () => {
  const name = 'oauth_failed_authentications_total\\{kind="client"\\}'
  const before = await rpcs.counted(name)
  await rpcs.client.issue({ items: [asked({ ...presented('wrong') })] })
  await rpcs.client.introspectTokens({ items: [{ token: 'x', ...presented('wrong') }] })
  await rpcs.client.revokeToken({ token: 'x', ...presented('wrong') }).catch(() => undefined)
  expect(await rpcs.counted(name)).toBe(before + 3)
})

test.each([
  [RevocationKind.REVOCATION_KIND_GRANT, 'grant'],
  [RevocationKind.REVOCATION_KIND_CLIENT, 'client'],
  [RevocationKind.REVOCATION_KIND_USER, 'user'],
  [RevocationKind.REVOCATION_KIND_CONSENT, 'consent'],
] as const)('RevokeMany of kind %i is kept as %s', async (kind, name) => {
  const issuedBefore = new Date('2030-01-01T00:00:00.123Z')
  await rpcs.client.revokeMany({ kind, id: 'some id', issuedBefore })
  expect(rpcs.received.revocations.at(-1)).toEqual({ kind: name, id: 'some id', issuedBefore })
  await rpcs.client.revokeMany({ kind, id: 'some id', issuedBefore: undefined })
  expect(rpcs.received.revocations.at(-1)).toEqual({ kind: name, id: 'some id', issuedBefore: undefined })
})

test('RevokeMany of a session ends it, and needs the id of one', async () => {
  const kind = RevocationKind.REVOCATION_KIND_SESSION
  const id = '0190f0a0-0000-7000-8000-00000000000a'
  await rpcs.client.revokeMany({ kind, id, issuedBefore: new Date() })
  expect(rpcs.received.sessions).toEqual([id])
  const refused = rpcs.client.revokeMany({ kind, id: 'a', issuedBefore: undefined })
  await expect(refused).rejects.toMatchObject({ code: 'invalid_request' })
})

test('RevokeMany of a connection ends what was granted after logins by it', async () => {
  const kind = RevocationKind.REVOCATION_KIND_CONNECTION
  const issuedBefore = new Date('2030-01-01T00:00:00.123Z')
  const before = rpcs.received.revocations.length
  await rpcs.client.revokeMany({ kind, id: 'con_a:user', issuedBefore })
  expect(rpcs.received.connections).toEqual([{ id: 'con_a:user', issuedBefore }])
  expect(rpcs.received.revocations).toHaveLength(before)
})

test('RevokeMany of nothing is refused', async () => {
  const issuedBefore = undefined
  rpcs.received.revocations.length = 0
  for (const request of [
    { kind: RevocationKind.REVOCATION_KIND_UNSPECIFIED, id: 'a', issuedBefore },
    { kind: RevocationKind.REVOCATION_KIND_USER, id: '', issuedBefore },
    { kind: 99 as RevocationKind, id: 'a', issuedBefore },
  ]) {
    await expect(rpcs.client.revokeMany(request)).rejects.toMatchObject({ code: 'invalid_request' })
  }
  expect(rpcs.received.revocations).toEqual([])
})

test('the number of active tokens is shown only while this replica says it', async () => {
  const other = new Registry()
  const metrics = tokenMetrics(other, { grantTypes: [], algorithms: [] })
  const shown = async () => /^oauth2_server_oauth_active_tokens (.*)$/m.exec(await other.metrics())?.[1]
  expect(await shown()).toBeUndefined()
  metrics.setActive(12)
  expect(await shown()).toBe('12')
  metrics.setActive(undefined)
  expect(await shown()).toBeUndefined()
})

test('usage is told by the minute, and of a client by the day', async () => {
  const since = new Date(60_000)
  expect(await rpcs.client.listUsage({ since, stepSeconds: 0 })).toEqual({
    minutes: [{ time: since, issued: { password: 3n }, refused: {}, activeTokens: 7n }],
  })
  await expect(rpcs.client.listUsage({ since, stepSeconds: 61 })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  expect(await rpcs.client.listTopClients({ days: 90, limit: 100 })).toEqual({
    clients: [{ clientId: 'client_90_100', issued: 5n, refused: 1n, lastUsedAt: undefined }],
  })
  for (const wrong of [{ days: 91 }, { days: 0 }, { limit: 101 }, { limit: 0 }])
    await expect(rpcs.client.listTopClients({ days: 1, limit: 1, ...wrong })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  const asked = { clientId: 'client_a', days: 90 }
  expect(await rpcs.client.listClientUsage(asked)).toEqual({
    days: [{ time: new Date(0), issued: 5n, refused: 1n }],
    lastUsedAt: new Date(9),
  })
  for (const days of [0, 91])
    await expect(rpcs.client.listClientUsage({ ...asked, days })).rejects.toMatchObject({
      code: 'invalid_request',
    })
})

test('a client that was deleted ends with its changes', async () => {
  await rpcs.client.revokeMany({
    kind: RevocationKind.REVOCATION_KIND_CLIENT,
    id: 'client_gone',
    issuedBefore: undefined,
  })
  expect([rpcs.received.ended.at(-1), rpcs.received.forgotten.at(-1)]).toEqual(['client_gone', 'client_gone'])
})

test('a change of roles or groups is stored, and those of a resource server are read again', async () => {
  const { authorityChanges, rereads } = rpcs.received
  await rpcs.client.applyAuthorityChange({ key: authorityOfUser('user-1'), revision: 7n })
  expect([authorityChanges, rereads]).toEqual([[{ key: 'user:user-1', revision: 7n }], []])
  await rpcs.client.applyAuthorityChange({ key: authorityOfRoles('https://tools.example'), revision: 8n })
  expect(authorityChanges).toHaveLength(2)
  expect(rereads).toEqual(['read again'])
  for (const change of [
    { key: '', revision: 1n },
    { key: 'all:', revision: 0n },
  ])
    await expect(rpcs.client.applyAuthorityChange(change)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('the tokens of a client that have no user can be revoked', async () => {
  const issuedBefore = new Date(1_900_000_000_000)
  const own = { kind: RevocationKind.REVOCATION_KIND_OWN, id: 'client_a', issuedBefore }
  await rpcs.client.revokeMany(own)
  expect(rpcs.received.revocations.at(-1)).toEqual({ kind: 'own', id: 'client_a', issuedBefore })
})
