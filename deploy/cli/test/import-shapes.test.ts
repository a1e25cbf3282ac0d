import { expect, test } from 'vitest'
import { hydraClient } from '../src/import/hydra-client.ts'
import { keycloakClient } from '../src/import/keycloak-client.ts'
import { brokeredProvider, keycloakRealm } from '../src/import/keycloak-realm.ts'
import { keycloakUser } from '../src/import/keycloak-user.ts'
import type { Prepared } from '../src/import/prepared.ts'

const user = { username: 'ann', credentials: [] }
const keycloak = {
  clientId: 'shop',
  redirectUris: ['https://shop.example/callback'],
  serviceAccountsEnabled: true,
}
const hydra = { client_id: 'shop', grant_types: ['authorization_code', 'client_credentials'] }

test.each<[string, (source: object) => Prepared<object>, object, object[]]>([
  [
    'a user of Keycloak',
    (source) => keycloakUser(source),
    user,
    [
      ...[{ enabled: 'false' }, { enabled: 0 }, { totp: 'true' }, { requiredActions: 'UPDATE_PASSWORD' }],
      ...[{ requiredActions: [{ alias: 'CONFIGURE_TOTP' }] }, { credentials: { 0: { type: 'otp' } } }],
      { createdTimestamp: '1600000000000' },
    ],
  ],
  [
    'a client of Keycloak',
    (source) => keycloakClient(source),
    keycloak,
    [
      { enabled: 'false' },
      { bearerOnly: 'true' },
      { consentRequired: 'true' },
      { redirectUris: 'https://a.example' },
    ],
  ],
  [
    'a client of Hydra',
    (source) => hydraClient(source),
    hydra,
    [{ redirect_uris: 'https://a.example' }, { skip_consent: 'true' }, { subject_type: ['pairwise'] }],
  ],
])(
  '%s with a field of another JSON type is disabled, and the field is named',
  (_, prepare, base, changes) => {
    for (const change of changes)
      expect(prepare({ ...base, ...change })).toMatchObject({
        item: { disabled: true },
        note: expect.stringContaining(`${Object.keys(change)[0]}: its value is not`),
      })
  },
)

test.each([
  [{ 'client.secret.expiration.time': 1_600_000_000 }],
  [{ 'client.secret.expiration.time': ['1700000000'] }],
  [{ 'use.refresh.tokens': false }],
  [{ 'access.token.lifespan': 60 }],
  [{ 'default.max.age': ['60'] }],
  [{ 'post.logout.redirect.uris': ['https://shop.example/after'] }],
  [{ 'backchannel.logout.url': ['https://shop.example/logout'] }],
  [{ 'backchannel.logout.session.required': true }],
  [{ 'oauth2.device.authorization.grant.enabled': true }],
])('a client of Keycloak with the attribute %j, which is no text, is disabled', (attributes) => {
  expect(keycloakClient({ ...keycloak, attributes })).toMatchObject({
    item: { disabled: true },
    note: expect.stringContaining(`attributes.${Object.keys(attributes)[0]}: its value is not a text`),
  })
})

test.each([1_600_000_000, ['1700000000'], '1700000000'])(
  'a client of Keycloak whose secret expires, as %j, gets a new one',
  (expiry) => {
    const client = {
      ...keycloak,
      secret: 'a secret',
      attributes: { 'client.secret.expiration.time': expiry },
    }
    const { item, note } = keycloakClient(client) as { item: object; note: string }
    expect(item).not.toHaveProperty('client_secret')
    expect(note).toContain('secrets do not expire here')
  },
)

test('the flags of a client of Keycloak are read as Keycloak reads them: only true is true, in any case', () => {
  const grantTypes = (attributes: object) =>
    (keycloakClient({ ...keycloak, attributes }) as { item: { grant_types: string[] } }).item.grant_types
  expect(grantTypes({})).toContain('refresh_token')
  expect(grantTypes({ 'use.refresh.tokens': 'TRUE' })).toContain('refresh_token')
  for (const no of ['FALSE', 'false', 'no', false])
    expect(grantTypes({ 'use.refresh.tokens': no })).not.toContain('refresh_token')
  expect(grantTypes({ 'oauth2.device.authorization.grant.enabled': 'True' })).toContain(
    'urn:ietf:params:oauth:grant-type:device_code',
  )
  expect(
    keycloakClient({ ...keycloak, attributes: { 'backchannel.logout.session.required': 'True' } }),
  ).toMatchObject({ item: { backchannel_logout_session_required: true } })
})

test.each([[''], [null], [[]]])('a client of Hydra whose scope is %j had none, and is disabled', (scope) => {
  expect(hydraClient({ ...hydra, scope })).toMatchObject({
    item: { disabled: true },
    note: expect.stringContaining('scope: it had none'),
  })
})

test('an address of GitHub that is no text is not taken for that of github.com', () => {
  const given = { providerId: 'github', config: { baseUrl: ['https://github.example'] } }
  expect(brokeredProvider(given)).toEqual({ fault: 'it is a GitHub Enterprise Server of its own' })
})

test('a realm with settings of another JSON type counts as disabled, and as one whose users prove their address', () => {
  expect(keycloakRealm({ realm: 'a', enabled: 'false', verifyEmail: 'true' }, [])).toMatchObject({
    disabled: true,
    verifyEmail: true,
  })
})
