import { expect, test } from 'vitest'
import { hydraClient } from '../src/import/hydra-client.ts'
import { keycloakClient } from '../src/import/keycloak-client.ts'
import { keycloakRealm } from '../src/import/keycloak-realm.ts'
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

test('a realm with settings of another JSON type counts as disabled, and as one whose users prove their address', () => {
  expect(keycloakRealm({ realm: 'a', enabled: 'false', verifyEmail: 'true' }, [])).toMatchObject({
    disabled: true,
    verifyEmail: true,
  })
})
