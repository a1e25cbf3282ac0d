import { hash } from 'node:crypto'
import { oneFactor, twoFactors } from '@gatehouse/proto/claims'
import { expect, test } from 'vitest'
import { type Authority, noAuthority } from '../../src/authority/authority.ts'
import type { ClaimsAbout } from '../../src/authority/claims-about.ts'
import { createIdTokenReader, idTokenFor } from '../../src/openid/id-token.ts'
import type { SessionGrant } from '../../src/openid/session-grant.ts'
import { usersClient } from '../clients/clients.ts'
import { userGrant } from '../tokens/granted.ts'

const issuer = 'https://auth.example'
const sessionGrant: SessionGrant = {
  sessionId: 'session-1',
  nonce: 'n',
  authenticatedAt: new Date(1_900_000_000_900),
  methods: ['pwd'],
  connectionId: undefined,
  byOrganization: false,
  claims: undefined,
  offline: false,
  sessionEndsAt: new Date(1_900_003_600_000),
}
const profile = {
  username: 'ann',
  attributes: { name: 'Ann Example', email: 'ann@example.com', email_verified: true },
  updatedAt: new Date(1_900_000_000_000),
}

async function issue(
  grant: Partial<SessionGrant> = {},
  {
    scope = 'openid',
    first = true,
    algorithm = '',
    registered = 'openid profile email',
    organizationId = undefined as string | undefined,
    authority = noAuthority as Pick<Authority, 'claimsAbout'>,
  } = {},
) {
  const signed: { algorithm: string; claims: Readonly<Record<string, unknown>> }[] = []
  const metadata = algorithm === '' ? {} : { id_token_signed_response_alg: algorithm as 'EdDSA' }
  const client = usersClient({ metadata, scope: registered })
  const idTokens = {
    algorithms: ['RS256', 'EdDSA'] as const,
    signIdToken: async (algorithm: string, claims: Readonly<Record<string, unknown>>) => {
      signed.push({ algorithm, claims })
      return 'signed'
    },
    findProfile: async () => profile,
  }
  const deps = { idTokens, authority, issuer, now: () => 1_900_000_100_500 }
  const granted = { grant: userGrant({ session: { ...sessionGrant, ...grant }, organizationId }), first }
  const token = await idTokenFor(client, { accessToken: 'a.b.c', scope }, granted, deps)
  return { token, ...signed[0] }
}

test('no login is later than its token, although the clock of the database is ahead', async () => {
  const { claims } = await issue({ authenticatedAt: new Date(1_900_000_103_000) })
  expect([claims?.auth_time, claims?.iat]).toEqual([1_900_000_100, 1_900_000_100])
})

test('says who logged in when and how, for which client, and is bound to the access token', async () => {
  const { token, algorithm, claims } = await issue()
  expect([token, algorithm]).toEqual(['signed', 'RS256'])
  expect(claims).toEqual({
    iss: issuer,
    sub: 'user-1',
    aud: 'client_a',
    iat: 1_900_000_100,
    exp: 1_900_000_400,
    auth_time: 1_900_000_000,
    nonce: 'n',
    at_hash: hash('sha256', 'a.b.c', 'buffer').subarray(0, 16).toString('base64url'),
    acr: 'urn:gatehouse:acr:one-factor',
    amr: ['pwd'],
    sid: 'session-1',
  })
})

test('says honestly with how many factors the user logged in', async () => {
  const acrOf = async (methods: string[], acr?: object) => {
    const { claims } = await issue({ methods, ...(acr && { claims: { id_token: { acr } } }) })
    return [claims?.acr, claims?.amr]
  }
  const two = ['pwd', 'otp', 'mfa']
  expect(await acrOf(['pwd'])).toEqual([oneFactor, ['pwd']])
  expect(await acrOf(two)).toEqual([twoFactors, two])
  // OpenID Connect Core section 5.5.1.1: one of the values that an essential claim demands.
  expect(await acrOf(two, { essential: true, values: [oneFactor] })).toEqual([oneFactor, two])
  expect(await acrOf(two, { essential: true, values: [oneFactor, twoFactors] })).toEqual([twoFactors, two])
  expect(await acrOf(two, { values: [oneFactor] })).toEqual([twoFactors, two])
  expect(await acrOf(['pwd'], { value: twoFactors })).toEqual([oneFactor, ['pwd']])
})

test('a refreshed one keeps the time of the login and has no nonce', async () => {
  const { claims } = await issue({}, { first: false })
  expect(claims).toMatchObject({ auth_time: 1_900_000_000, sid: 'session-1' })
  expect(claims).not.toHaveProperty('nonce')
})

test('is signed with the client’s algorithm, whose hash the access token’s has', async () => {
  const { algorithm, claims } = await issue({}, { algorithm: 'EdDSA' })
  expect(algorithm).toBe('EdDSA')
  expect(claims?.at_hash).toBe(hash('sha512', 'a.b.c', 'buffer').subarray(0, 32).toString('base64url'))
})

test('has claims about the user only if the client asked for them in the ID token', async () => {
  const { claims } = await issue({}, { scope: 'openid profile email' })
  expect(claims).not.toHaveProperty('email')
  const asked = await issue({
    claims: { id_token: { email: null, phone_number: null }, userinfo: { name: null } },
  })
  expect(asked.claims).toMatchObject({ email: 'ann@example.com' })
  for (const name of ['name', 'phone_number']) expect(asked.claims).not.toHaveProperty(name)
})

test('has no claim whose scope the client may not have, however it asks', async () => {
  const claims = { id_token: { email: { essential: true }, name: null } }
  const asked = await issue({ claims }, { registered: 'openid profile' })
  expect(asked.claims).toMatchObject({ name: expect.any(String) })
  expect(asked.claims).not.toHaveProperty('email')
})

test('is not issued without the scope openid', async () => {
  expect((await issue({}, { scope: 'profile' })).token).toBeUndefined()
})

test('one of another issuer is no hint', async () => {
  const claims = { iss: issuer, sub: 'user-1', aud: 'client_a', sid: 'session-1' }
  const read = (changes: object) => createIdTokenReader(async () => ({ ...claims, ...changes }), issuer)('x')
  expect(await read({})).toEqual({ userId: 'user-1', clientId: 'client_a', sessionId: 'session-1' })
  expect(await read({ iss: 'https://other.example' })).toBeUndefined()
  expect(await read({ aud: ['client_a', 'client_b'] })).toBeUndefined()
  expect(await createIdTokenReader(async () => undefined, issuer)('x')).toBeUndefined()
})

test('has what the client may know of groups and roles, whatever it says about claims of the user, and never in place of another claim', async () => {
  const asked: ClaimsAbout[] = []
  const authority = {
    async claimsAbout(wanted: ClaimsAbout) {
      asked.push(wanted)
      return { groups: ['staff'], roles_overage: true }
    },
  }
  const requested = { roles: null }
  const { claims } = await issue(
    { claims: { id_token: requested } },
    { scope: 'openid groups', registered: 'openid groups roles', authority },
  )
  expect(claims).toMatchObject({ iss: issuer, sub: 'user-1', groups: ['staff'], roles_overage: true })
  expect(asked).toMatchObject([{ userId: 'user-1', scope: 'openid groups', requested, inToken: true }])
})

test('says nothing of groups of a user who is not active any more', async () => {
  const { token, claims } = await issue({}, { authority: { claimsAbout: async () => undefined } })
  expect(token).toBe('signed')
  expect(claims).not.toHaveProperty('groups')
})
