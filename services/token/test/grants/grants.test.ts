import { Refusal } from '@gatehouse/kit/errors'
import { expiringSecret, expiryOf } from '@gatehouse/kit/expiring-secret'
import { grantTypes } from '@gatehouse/proto/grants'
import { expect, test } from 'vitest'
import type { Client } from '../../src/clients/client-authentication.ts'
import type { PasswordGrantRecord } from '../../src/grants/password.ts'
import { type GrantDeps, issueTokens } from '../../src/grants/table.ts'
import { createSuccession } from '../../src/tokens/refresh-token.ts'
import { findAmong, presenting, publicClient, usersClient } from '../clients/clients.ts'
import { defaultSigner } from '../keys/keys.ts'
import { userGrant } from '../tokens/granted.ts'
import { noGrants, unasked } from './grant-deps.ts'

const issuer = 'https://auth.example'
const signer = defaultSigner('a secret of at least thirty-two bytes', issuer, issuer)
const now = 1_900_000_000_000

function start(changes: Partial<GrantDeps> = {}, clients: Client[] = [usersClient()]) {
  const granted: PasswordGrantRecord[] = []
  const deps: GrantDeps = {
    ...noGrants,
    findClient: findAmong(clients),
    now: () => now,
    signer,
    issuer,
    audience: issuer,
    accessTokenLifetime: 600,
    store: { ...noGrants.store, now: async () => 'then' },
    passwordGrants: { add: async (grant) => void granted.push(grant) },
    authenticateUser: async () => ({ outcome: 'user', userId: 'user-1', username: 'ann' }),
    ...changes,
  }
  const issue = (grantType: string, parameters: Record<string, string>, clientSecret = 'right') =>
    issueTokens(
      {
        ...{ grantType, parameters, resources: [], ipAddress: '192.0.2.1' },
        presented: presenting(clientSecret),
      },
      deps,
    )
  return { issue, granted }
}

/** The parameters of each grant that has any. */
const parameters = {
  authorization_code: { code: 'c', code_verifier: 'v' },
  refresh_token: { refresh_token: 'r' },
  password: { username: 'ann', password: 'hers' },
}
const names = ['authorization_code', 'refresh_token', 'password'] as const

test('refuses a disabled grant before checking the credentials', async () => {
  const off = start({ enabledGrants: new Set(['authorization_code']) })
  for (const name of ['refresh_token', 'password', 'client_credentials'] as const) {
    await expect(off.issue(name, {}, 'wrong')).rejects.toMatchObject({
      code: 'unsupported_grant_type',
    })
  }
})

test.each(names)(
  '%s checks the secret first, then the client’s grants, then the parameters',
  async (name) => {
    const other = start({}, [usersClient({ grantTypes: new Set(['client_credentials']) })])
    await expect(other.issue(name, {}, 'wrong')).rejects.toMatchObject({ code: 'invalid_client' })
    await expect(other.issue(name, {})).rejects.toMatchObject({ code: 'unauthorized_client' })
    await expect(start().issue(name, {})).rejects.toMatchObject({ code: 'invalid_request' })
  },
)

test.each([
  ['authorization_code', 'code'],
  ['authorization_code', 'code_verifier'],
  ['refresh_token', 'refresh_token'],
  ['password', 'username'],
  ['password', 'password'],
] as const)('%s names the missing parameter %s', async (name, missing) => {
  const { [missing]: _, ...sent }: Record<string, string> = parameters[name]
  await expect(start().issue(name, sent)).rejects.toMatchObject({
    code: 'invalid_request',
    description: `The parameter ${missing} is missing.`,
  })
})

test('lets a public client redeem a code without a secret, but only while public clients are enabled', async () => {
  const reached = {
    codes: {
      findGrant: async () => undefined,
      redeem: async () => undefined,
      inspect: async () => undefined,
    },
  }
  const on = start(reached, [publicClient()])
  await expect(on.issue('authorization_code', parameters.authorization_code, '')).rejects.toMatchObject({
    code: 'invalid_grant',
  })
  const off = start({ ...reached, publicClientsEnabled: false }, [publicClient()])
  await expect(off.issue('authorization_code', parameters.authorization_code, '')).rejects.toMatchObject({
    code: 'invalid_client',
  })
})

test('refuses the password grant to a public client', async () => {
  const { issue } = start({}, [publicClient()])
  await expect(issue('password', parameters.password, '')).rejects.toMatchObject({ code: 'invalid_client' })
})

test('issues tokens of the user for their password, with a grant time before the authentication', async () => {
  const { issue, granted } = start()
  const token = await issue('password', { ...parameters.password, scope: 'read' })
  expect(token).toMatchObject({ expiresIn: 600, scope: 'read' })
  expect(token.refreshToken).toBe(expiringSecret(Buffer.alloc(28, 7), now / 1000 + 3600))
  expect(signer.verify(token.accessToken)).toMatchObject({
    sub: 'user-1',
    client_id: 'client_a',
    scope: 'read',
    iat: now / 1000,
    exp: now / 1000 + 600,
  })
  expect(granted).toMatchObject([{ grant: userGrant(), grantedAt: 'then' }])
})

test('answers a wrong password with invalid_grant, and too many with rate_limit_exceeded and a time to wait', async () => {
  const wrong = start({ authenticateUser: async () => ({ outcome: 'refused' }) })
  await expect(wrong.issue('password', parameters.password)).rejects.toMatchObject({ code: 'invalid_grant' })
  const throttled = start({ authenticateUser: async () => ({ outcome: 'throttled', retryAfterSeconds: 42 }) })
  await expect(throttled.issue('password', parameters.password)).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    description: expect.stringMatching(/try again later.* 42 seconds/),
    retryAfter: 42,
  })
  expect([...wrong.granted, ...throttled.granted]).toEqual([])
})

test('does not try a password for a scope that the client may not have', async () => {
  const { issue } = start({ authenticateUser: unasked })
  await expect(issue('password', { ...parameters.password, scope: 'admin' })).rejects.toMatchObject({
    code: 'invalid_scope',
  })
})

test('uses up no code or refresh token while the replica may not sign', async () => {
  const checkFresh = () => {
    throw new Refusal('temporarily_unavailable')
  }
  const { issue, granted } = start({ signer: { ...signer, checkFresh } })
  for (const name of names) {
    await expect(issue(name, parameters[name])).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  }
  expect(granted).toEqual([])
})

test.each([undefined, 1_900_000_000])(
  'derives the successor from the token, its expiry (%s) and the secret only, so every replica derives the same',
  (expiresAt) => {
    const [one, same, other] = [createSuccession('s'), createSuccession('s'), createSuccession('t')]
    expect(one('a', expiresAt)).toBe(same('a', expiresAt))
    expect(one('a', expiresAt)).not.toBe(one('b', expiresAt))
    expect(one('a', expiresAt)).not.toBe(other('a', expiresAt))
    expect(one('a', expiresAt)).toMatch(/^[\w-]{43}$/)
    expect(expiryOf(one('a', expiresAt))).toBe(expiresAt)
  },
)

test('changes all of a successor with its expiry, so that nobody computes it from another', () => {
  const successorOf = createSuccession('s')
  const [one, other] = [successorOf('a', 1_900_000_000), successorOf('a', 1_900_000_001)]
  expect(one.slice(0, 36)).not.toBe(other.slice(0, 36))
})

test.each([
  [
    'a redeemed code',
    'authorization_code',
    {
      codes: {
        findGrant: async () => undefined,
        redeem: async () => undefined,
        inspect: async () => ({
          ...{ grantId: 'g', redeemed: true, expired: false, revoked: false },
          ...{ verifierMatches: true, redirectUriMatches: true },
          ...{ clientChanged: false, redirectUriRegistered: true, resources: undefined },
          organizationFits: true,
        }),
      },
    },
  ],
  [
    'a used refresh token',
    'refresh_token',
    {
      refreshTokenStore: {
        findGrant: async () => undefined,
        rotate: async () => undefined,
        inspect: async () => ({
          ...{ grantId: 'g', reused: true, expired: false, revoked: false },
          ...{ clientChanged: false, permittedScope: 'read', resources: undefined },
          ...{ granted: true, organizationFits: true },
        }),
      },
    },
  ],
] as [string, 'authorization_code' | 'refresh_token', Partial<GrantDeps>][])(
  'revokes the grant when %s is used again, but not for a cancelled call',
  async (_, name, stores) => {
    const ended: string[] = []
    let isAwaited = true
    const { issue } = start({
      ...stores,
      revocations: { add: async ({ id }) => void ended.push(id) },
      isAwaited: () => isAwaited,
    })
    await expect(issue(name, parameters[name])).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(ended.splice(0)).toEqual(['g'])
    isAwaited = false
    await expect(issue(name, parameters[name])).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(ended).toEqual([])
  },
)

test('knows every grant in proto/grants.ts and no other', async () => {
  const { issue } = start()
  for (const name of grantTypes) {
    await expect(issue(name, {}, 'wrong')).rejects.toMatchObject({ code: 'invalid_client' })
  }
  for (const name of ['', 'implicit', 'toString', 'constructor', 'authorizationCode']) {
    await expect(issue(name, {})).rejects.toMatchObject({ code: 'unsupported_grant_type' })
  }
})
