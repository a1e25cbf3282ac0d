import { describe, expect, test } from 'vitest'
import { brokeredProvider, keycloakRealm } from '../src/import/keycloak-realm.ts'
import { keycloakUser } from '../src/import/keycloak-user.ts'

/** A user as Keycloak 26 exports them, from a public sample realm. */
const exported = {
  id: '3f0b39cb-0a1b-4428-b36f-b8c098126dbd',
  username: 'admin1',
  firstName: 'Zoë',
  lastName: 'Krämer',
  email: 'zoe@example.com',
  emailVerified: true,
  attributes: { locale: ['de'], department: ['sales'], picture: ['https://example.com/zoe.png'] },
  enabled: true,
  createdTimestamp: 1611230523301,
  totp: false,
  credentials: [
    { type: 'otp', secretData: '{"value":"x"}', credentialData: '{"subType":"totp"}' },
    {
      type: 'password',
      secretData:
        '{"value":"BruFLfFkjH/8erZ26NnrbkOrWiZuQyDRCHD9o0R6Scg=","salt":"Cf9AYCE5pAbb4CKEF0GUTA==","additionalParameters":{}}',
      credentialData:
        '{"hashIterations":5,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],"memory":["7168"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}',
    },
  ],
  federatedIdentities: [
    { identityProvider: 'github', userId: '583231', userName: 'zoe' },
    { identityProvider: 'microsoft', userId: '0f0f', userName: 'zoe' },
    { identityProvider: 'company-saml', userId: 'zoe', userName: 'zoe' },
  ],
  requiredActions: [],
  realmRoles: ['admin'],
  groups: ['/staff'],
}

/** Its aliases say nothing of what the providers are. */
const realm = keycloakRealm(
  {
    realm: 'staff',
    identityProviders: [
      { alias: 'code', providerId: 'github', enabled: true },
      { alias: 'github', providerId: 'oidc', config: { issuer: 'https://idp.example' } },
      { alias: 'microsoft', providerId: 'microsoft' },
      { alias: 'company-saml', providerId: 'saml' },
    ],
  },
  [],
)

test('keeps the id, the names, the address, the language, the password and what is linked', () => {
  const links = [
    ...exported.federatedIdentities,
    { identityProvider: 'code', userId: '42', userName: 'zoe-codes' },
  ]
  const prepared = keycloakUser({ ...exported, federatedIdentities: links }, realm, { withoutFactors: true })
  expect(prepared).toMatchObject({
    name: 'admin1',
    item: {
      ...{ username: 'admin1', user_id: exported.id, created_at: '2021-01-21T12:02:03.301Z' },
      password_hash:
        '$argon2id$v=19$m=7168,t=5,p=1$Cf9AYCE5pAbb4CKEF0GUTA$BruFLfFkjH/8erZ26NnrbkOrWiZuQyDRCHD9o0R6Scg',
      social_accounts: [{ provider: 'github', subject: '42', display_name: 'zoe-codes' }],
      ...{ name: 'Zoë Krämer', given_name: 'Zoë', family_name: 'Krämer', locale: 'de' },
      ...{ email: 'zoe@example.com', email_verified: true, picture: 'https://example.com/zoe.png' },
    },
  })
  const { note } = prepared as { note: string }
  for (const named of [
    'credentials otp',
    'Identities github',
    'Identities microsoft',
    'Identities company-saml',
  ])
    expect(note).toContain(named)
  for (const named of ['attributes.department', 'realmRoles', 'groups', '/staff'])
    expect(note).toContain(named)
})

test('links nothing when no file says what the providers are', () => {
  const prepared = keycloakUser(exported)
  expect(prepared).not.toHaveProperty('item.social_accounts')
  expect(prepared).toMatchObject({ note: expect.stringContaining('name the realm’s own file, too') })
})

test.each([
  [{ providerId: 'google' }, 'google'],
  [
    { providerId: 'github', config: { baseUrl: 'https://github.com', apiUrl: 'https://api.github.com' } },
    'github',
  ],
  [{ providerId: 'github', config: { baseUrl: 'https://github.example.com' } }, undefined],
  [{ providerId: 'google', enabled: false }, undefined],
  [{ providerId: 'google', linkOnly: true }, undefined],
  [
    {
      providerId: 'oidc',
      config: {
        issuer: 'https://accounts.google.com',
        authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
        tokenUrl: 'https://oauth2.googleapis.com/token',
      },
    },
    'google',
  ],
  [
    {
      providerId: 'oidc',
      config: { issuer: 'https://accounts.google.com', tokenUrl: 'https://evil.example/token' },
    },
    undefined,
  ],
  [{ providerId: 'oidc', config: { issuer: 'https://idp.example' } }, undefined],
  [{ providerId: 'microsoft' }, undefined],
  [{ alias: 'google' }, undefined],
])('the identity provider %j is %s', (given, provider) => {
  const found = brokeredProvider({ alias: 'google', ...given })
  expect(found).toEqual(provider === undefined ? { fault: expect.any(String) } : { provider })
})

test('takes a user with little more than a name', () => {
  expect(keycloakUser({ username: 'bob', enabled: false, credentials: [] })).toEqual({
    ...{ name: 'bob', note: '', item: { username: 'bob', disabled: true } },
  })
})

test('skips the users of service accounts', () => {
  const user = { username: 'service-account-app', serviceAccountClientId: 'app' }
  expect(keycloakUser(user)).toMatchObject({ name: 'service-account-app', outcome: 'skipped' })
})

test('leaves out attributes that break our rules, and says so', () => {
  const attributes = { picture: ['http://example.com/a.png'], zoneinfo: ['Mars'], locale: ['en'], name: [''] }
  expect(keycloakUser({ username: 'bob', attributes, credentials: [] })).toEqual({
    name: 'bob',
    note: 'Left out, because invalid: picture, zoneinfo.',
    item: { username: 'bob', locale: 'en' },
  })
})

test.each([null, 5, 'text', [], {}])('does not fail for %j: the server refuses it', (value) => {
  expect(keycloakUser(value)).toMatchObject({ name: '', item: { username: '' } })
})

describe('the password', () => {
  const hashOf = (...credentials: object[]) => {
    const prepared = keycloakUser({ username: 'bob', credentials })
    return 'item' in prepared ? (prepared.item.password_hash ?? prepared.item.password) : prepared.reason
  }
  const secretData = '{"value":"AAAA=","salt":"BBBB=="}'
  const type = 'password'

  test.each([
    ['pbkdf2', '$pbkdf2-sha1$i=20000$BBBB$AAAA'],
    ['pbkdf2-sha256', '$pbkdf2-sha256$i=20000$BBBB$AAAA'],
    ['pbkdf2-sha512', '$pbkdf2-sha512$i=20000$BBBB$AAAA'],
  ])('hashed with %s', (algorithm, hash) => {
    const credentialData = JSON.stringify({ hashIterations: 20_000, algorithm })
    expect(hashOf({ type, secretData, credentialData })).toBe(hash)
  })

  test('hashed with a plug-in for bcrypt', () => {
    const credentialData = '{"hashIterations":10,"algorithm":"bcrypt"}'
    expect(hashOf({ type, secretData: '{"value":"$2a$10$abc","salt":""}', credentialData })).toBe(
      '$2a$10$abc',
    )
  })

  test('hashed with argon2 and other parameters', () => {
    const additionalParameters = { memory: ['65536'], type: ['i'], version: ['1.0'], parallelism: ['4'] }
    const credentialData = JSON.stringify({ hashIterations: 3, algorithm: 'argon2', additionalParameters })
    expect(hashOf({ type, secretData, credentialData })).toBe('$argon2i$v=16$m=65536,t=3,p=4$BBBB$AAAA')
  })

  test('of Keycloak before version 8', () => {
    const credential = { algorithm: 'pbkdf2-sha256', hashIterations: 27_500, hashedSaltedValue: 'AAAA=' }
    expect(hashOf({ type, salt: 'BBBB==', ...credential })).toBe('$pbkdf2-sha256$i=27500$BBBB$AAAA')
  })

  test('in plain text, as a realm for tests may have it', () => {
    expect(hashOf({ type, value: 'a good password' })).toBe('a good password')
  })

  test('hashed with something unknown makes the user invalid, without a word of the hash', () => {
    const reason = hashOf({ type, secretData, credentialData: '{"algorithm":"homemade"}' })
    expect(reason).toBe('The password is hashed with an algorithm that Gatehouse does not know.')
    expect(hashOf({ type, secretData: '{', credentialData: '{' })).toBe(reason)
  })

  test('is none for a user who logs in with something else', () => {
    expect(hashOf({ type: 'webauthn', credentialData: '{}' })).toBeUndefined()
  })
})
