import { hash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createRevocationStore } from '../../../src/store/revocations.ts'
import { usersClient } from '../../clients/clients.ts'
import { noOrganization } from '../../organizations/organizations.ts'
import { inSeconds, useDatabase } from '../database.ts'
import { outcomes, redirectUri, startReplica, verifier } from '../replica.ts'

const shared = useDatabase()
let replicas: ReturnType<typeof startReplica>[] = []
const replica = (index = 0) => replicas[index % 2] ?? expect.unreachable('no replica')
beforeAll(() => {
  replicas = [startReplica(shared.database), startReplica(shared.another())]
})

const notGranted = { code: 'invalid_grant' }
const codeRow = async (code: string) =>
  (
    await shared.query('select * from token.authorization_codes where code_digest = $1', [
      hash('sha256', code, 'buffer'),
    ])
  )[0]
const countOf = async (table: string, grantId: unknown) =>
  Number((await shared.query(`select count(*) from token.${table} where grant_id = $1`, [grantId]))[0]?.count)

test('redeems a code for an access token of its user and a refresh token', async () => {
  const { code, userId } = await replica().authorize()
  const answer = await replica(1).redeem(code, { redirectUri })
  expect(answer).toEqual({
    accessToken: expect.any(String),
    expiresIn: 3600,
    scope: 'read write',
    refreshToken: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(await replica().introspect(answer.accessToken)).toMatchObject({
    sub: userId,
    clientId: 'client_a',
    username: 'ann',
    scope: 'read write',
  })
})

test('gives all tokens of a code the time at which the code was granted', async () => {
  const { code } = await replica().authorize()
  await shared.query(
    `update token.authorization_codes set granted_at = granted_at - interval '5 min' where code_digest = $1`,
    [hash('sha256', code, 'buffer')],
  )
  const { refreshToken } = await replica().redeem(code)
  await replica().refresh(refreshToken)
  const row = await codeRow(code)
  const times = await shared.query(
    `select granted_at from token.access_tokens where grant_id = $1
     union all select granted_at from token.refresh_tokens where grant_id = $1`,
    [row?.grant_id],
  )
  expect(times).toEqual(Array.from({ length: 4 }, () => ({ granted_at: row?.granted_at })))
})

test('stores neither the code nor its tokens', async () => {
  const { code } = await replica().authorize()
  const { refreshToken = '', accessToken } = await replica().redeem(code)
  const rows = await shared.query(
    `select c::text || encode(code_digest, 'escape') as row from token.authorization_codes c
     union all select t::text || encode(token_digest, 'escape') from token.refresh_tokens t
     union all select t::text from token.access_tokens t`,
  )
  const all = rows.map(({ row }) => row).join('\n')
  expect(all).toContain('ann')
  for (const secret of [code, refreshToken, accessToken]) expect(all).not.toContain(secret)
})

test('issues no refresh token when the client or the server does not have the grant', async () => {
  const { code } = await replica().authorize('client_codes')
  expect((await replica().redeem(code, { clientId: 'client_codes' })).refreshToken).toBeUndefined()
  const without = startReplica(shared.database, { enabledGrants: new Set(['authorization_code']) })
  const { code: another } = await without.authorize()
  expect((await without.redeem(another)).refreshToken).toBeUndefined()
  expect(await countOf('refresh_tokens', (await codeRow(another))?.grant_id)).toBe(0)
})

test('lets only one of fifty concurrent redemptions on two replicas succeed, and revokes its tokens', async () => {
  for (let round = 0; round < 5; round++) {
    const { code } = await replica().authorize()
    const { succeeded, refused } = await outcomes(
      Array.from({ length: 50 }, (_, index) => replica(index).redeem(code)),
    )
    expect(succeeded).toHaveLength(1)
    expect(refused).toHaveLength(49)
    for (const error of refused) expect(error).toMatchObject(notGranted)
    const grantId = (await codeRow(code))?.grant_id
    expect(await countOf('access_tokens', grantId)).toBe(1)
    expect(await countOf('refresh_tokens', grantId)).toBe(1)
    for (const token of succeeded) {
      expect(await replica().isActive(token)).toBe(false)
      await expect(replica(1).refresh(token.refreshToken)).rejects.toMatchObject(notGranted)
    }
  }
})

test('lets only one of fifty concurrent redemptions change a row in the store', async () => {
  const { code } = await replica().authorize()
  const redemption = {
    digest: hash('sha256', code, 'buffer'),
    client: usersClient(),
    codeChallenge: hash('sha256', verifier, 'base64url'),
    redirectUri: undefined,
    organization: noOrganization,
  }
  const tokens = Array.from({ length: 50 }, (_, index) => ({
    expiresAt: Math.floor(Date.now() / 1000) + 3600,
    jti: `00000000-0000-7000-8000-0000000000${String(index).padStart(2, '0')}`,
    refreshToken: undefined,
    resources: [],
  }))
  const results = await Promise.all(
    tokens.map((token, index) => replica(index).codes.redeem(redemption, token)),
  )
  expect(results.filter((result) => result !== undefined)).toHaveLength(1)
})

const almost = `${verifier.slice(0, -1)}x`
test.each<[string, Parameters<ReturnType<typeof startReplica>['redeem']>[1]]>([
  ['a wrong verifier', { codeVerifier: almost }],
  ['a verifier that is too short', { codeVerifier: verifier.slice(0, 42) }],
  ['a verifier that is too long', { codeVerifier: 'v'.repeat(129) }],
  ['the challenge for a verifier', { codeVerifier: hash('sha256', verifier, 'base64url') }],
  ['a verifier of other characters', { codeVerifier: `${verifier}+` }],
  ['another redirect URI', { redirectUri: `${redirectUri}/` }],
  ['a redirect URI that PostgreSQL cannot store', { redirectUri: `${redirectUri}\0` }],
  ['another client', { clientId: 'client_b' }],
  ['a public client', { clientId: 'client_public' }],
])('refuses %s without using the code up', async (_, wrong) => {
  const { code } = await replica().authorize()
  await expect(replica().redeem(code, wrong)).rejects.toMatchObject(notGranted)
  expect((await codeRow(code))?.redeemed_at).toBeNull()
  const token = await replica(1).redeem(code)
  expect(await replica().isActive(token)).toBe(true)
})

test('gives the same error whatever is wrong with a code', async () => {
  const { code } = await replica().authorize()
  const { code: expired } = await replica().authorize('client_a', 0)
  const { refused } = await outcomes([
    replica().redeem('unknown'),
    replica().redeem(expired),
    replica().redeem(code, { codeVerifier: almost }),
    replica().redeem(code, { redirectUri: 'https://evil.example' }),
    replica().redeem(code, { clientId: 'client_b' }),
  ])
  expect(refused).toHaveLength(5)
  expect(new Set(refused.map(({ code, description }) => `${code} ${description}`)).size).toBe(1)
})

test('gives the reason to the log', async () => {
  const { code } = await replica().authorize()
  const { code: expired } = await replica().authorize('client_a', 0)
  const { refused } = await outcomes([
    replica().redeem('unknown'),
    replica().redeem(expired),
    replica().redeem(code, { codeVerifier: almost }),
    replica().redeem(code, { redirectUri: 'https://evil.example' }),
  ])
  expect(refused.map(({ detail }) => detail)).toEqual([
    'the client has no such code',
    'the code has expired',
    'the code_verifier is wrong',
    'the redirect_uri is not that of the authorization request',
  ])
})

test('revokes the issued tokens on a replay, even with a wrong verifier', async () => {
  for (const codeVerifier of [verifier, almost]) {
    const { code } = await replica().authorize()
    const token = await replica().redeem(code)
    expect(await replica().isActive(token)).toBe(true)
    await expect(replica(1).redeem(code, { codeVerifier })).rejects.toMatchObject(notGranted)
    expect(await replica().isActive(token)).toBe(false)
    await expect(replica().refresh(token.refreshToken)).rejects.toMatchObject(notGranted)
  }
})

test('revokes nothing on another client’s replay', async () => {
  const { code } = await replica().authorize()
  const token = await replica().redeem(code)
  await expect(replica().redeem(code, { clientId: 'client_b' })).rejects.toMatchObject(notGranted)
  await expect(replica().redeem(code, { clientId: 'client_public' })).rejects.toMatchObject(notGranted)
  expect(await replica().isActive(token)).toBe(true)
})

test('revokes the tokens of a public client only on a replay with the right verifier', async () => {
  const { code } = await replica().authorize('client_public')
  const token = await replica().redeem(code, { clientId: 'client_public' })
  const replay = (codeVerifier: string) => replica().redeem(code, { clientId: 'client_public', codeVerifier })
  await expect(replay(almost)).rejects.toMatchObject(notGranted)
  expect(await replica().isActive(token)).toBe(true)
  await expect(replay(verifier)).rejects.toMatchObject(notGranted)
  expect(await replica().isActive(token)).toBe(false)
})

test('recognizes a replay after the code has expired', async () => {
  const { code } = await replica().authorize()
  const token = await replica().redeem(code)
  await shared.query('update token.authorization_codes set expires_at = now() where code_digest = $1', [
    hash('sha256', code, 'buffer'),
  ])
  await expect(replica().redeem(code)).rejects.toMatchObject(notGranted)
  expect(await replica().isActive(token)).toBe(false)
})

test.each(['user', 'client', 'consent', 'grant'] as const)(
  'revoking a %s revokes its codes',
  async (kind) => {
    const { code, userId } = await replica().authorize('client_codes')
    const grantId = String((await codeRow(code))?.grant_id)
    const id = { user: userId, client: 'client_codes', consent: `${userId}:client_codes`, grant: grantId }[
      kind
    ]
    await createRevocationStore(shared.database, 3600).add({ kind, id, issuedBefore: 'now' })
    await expect(replica().redeem(code, { clientId: 'client_codes' })).rejects.toMatchObject({
      ...notGranted,
      detail: 'the grant is revoked',
    })
    expect((await codeRow(code))?.redeemed_at).toBeNull()
    const later = await replica().authorize('client_codes')
    expect((await replica().redeem(later.code, { clientId: 'client_codes' })).scope).toBe('read write')
  },
)

test('leaves no active token when the user is revoked while a code is being redeemed', async () => {
  for (let round = 0; round < 20; round++) {
    const { code, userId } = await replica().authorize()
    const [redeemed] = await Promise.allSettled([
      replica().redeem(code),
      replica(1).revocations.add({ kind: 'user', id: userId, issuedBefore: 'now' }),
    ])
    if (redeemed.status === 'rejected') continue
    expect(await replica().isActive(redeemed.value)).toBe(false)
    await expect(replica().refresh(redeemed.value.refreshToken)).rejects.toMatchObject(notGranted)
  }
})

test('redeems a code once, even when its token has no partition yet', async () => {
  const now = () => inSeconds('2033-05-05T12:00:00Z') * 1000
  const later = startReplica(shared.database, { now })
  const { code } = await later.authorize()
  const { succeeded } = await outcomes([later.redeem(code), later.redeem(code), later.redeem(code)])
  expect(succeeded).toHaveLength(1)
  expect(await countOf('access_tokens', (await codeRow(code))?.grant_id)).toBe(1)
})

test('does not redeem a code whose token cannot be stored', async () => {
  const { code } = await replica().authorize()
  const broken = startReplica(shared.database, { accessTokenLifetime: Number.NaN })
  await expect(broken.redeem(code)).rejects.toThrow()
  expect((await codeRow(code))?.redeemed_at).toBeNull()
  expect((await replica().redeem(code)).scope).toBe('read write')
})
