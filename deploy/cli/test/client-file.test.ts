import { describe, expect, test } from 'vitest'
import { clientReading } from '../src/import/client-file.ts'
import { hydraClient } from '../src/import/hydra-client.ts'
import { keycloakClient } from '../src/import/keycloak-client.ts'
import type { Source } from '../src/import/source.ts'

/** A client as Hydra 2 exports it. */
const hydra = {
  ...{ client_id: '2c8ea9c0-5d1f-4c5e-8b0e-3f4f8b9d7a11', client_name: 'Shop', owner: '', policy_uri: '' },
  redirect_uris: ['https://shop.example/callback'],
  ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code', 'id_token'] },
  ...{ scope: 'openid offline read', audience: ['https://api.example'], allowed_cors_origins: [] },
  ...{ tos_uri: '', client_uri: 'https://shop.example/', logo_uri: '', contacts: null },
  ...{ client_secret_expires_at: 0, subject_type: 'public', jwks: {}, metadata: {}, skip_consent: true },
  ...{ token_endpoint_auth_method: 'client_secret_post', userinfo_signed_response_alg: 'none' },
  ...{ created_at: '2024-05-06T07:08:09Z', updated_at: '2024-05-06T07:08:09Z' },
  authorization_code_grant_access_token_lifespan: '1h30m0s',
}

/** A client as Keycloak 26 exports it. */
const keycloak = {
  ...{ id: 'b2c7d0a6-3c0e-4d3d-9d0f-0e6b0f9b1d55', clientId: 'shop', name: 'Shop', enabled: true },
  ...{ rootUrl: 'https://shop.example/', baseUrl: '/home', surrogateAuthRequired: false, bearerOnly: false },
  ...{ clientAuthenticatorType: 'client-secret', secret: 'XyVa1Rk0hJw7lYpC4mQ8sTnE2bGdZu5f' },
  redirectUris: ['/callback', '/app/*', 'com.example.shop:/callback'],
  ...{ webOrigins: ['+'], consentRequired: false, standardFlowEnabled: true, implicitFlowEnabled: false },
  ...{ directAccessGrantsEnabled: false, serviceAccountsEnabled: true, publicClient: false },
  protocol: 'openid-connect',
  attributes: {
    'post.logout.redirect.uris': '/bye##https://other.example/bye',
    'backchannel.logout.url': 'https://shop.example/logout',
    'access.token.lifespan': '600',
    logoUri: 'https://shop.example/logo.png',
    'oauth2.device.authorization.grant.enabled': 'true',
  },
  defaultClientScopes: ['profile', 'email'],
  optionalClientScopes: ['offline_access'],
}

describe('a client of Hydra', () => {
  test('keeps what both have', () => {
    expect(hydraClient(hydra)).toEqual({
      name: hydra.client_id,
      note: 'Its audience was left out: add resource servers instead. response_types: here there is only code; left out id_token.',
      unneeded: expect.arrayContaining(['updated_at', 'userinfo_signed_response_alg']),
      item: {
        ...{ client_id: hydra.client_id, client_name: 'Shop', redirect_uris: hydra.redirect_uris },
        ...{ grant_types: hydra.grant_types, scope: hydra.scope, created_at: hydra.created_at },
        ...{ token_endpoint_auth_method: 'client_secret_post', client_uri: 'https://shop.example/' },
        ...{ first_party: true, access_token_lifetime: 5_400 },
      },
    })
  })

  test.each([
    ['45s', 45],
    ['2h0m0s', 7_200],
    ['', undefined],
    ['soon', undefined],
    [null, undefined],
  ])('with a lifespan of %j has tokens for %s seconds', (lifespan, seconds) => {
    const read = hydraClient({
      grant_types: ['client_credentials'],
      client_credentials_grant_access_token_lifespan: lifespan,
    })
    expect(read).toMatchObject({
      ...{ name: '', note: lifespan === 'soon' ? expect.stringContaining('is no duration') : '' },
      item: { grant_types: ['client_credentials'], ...(seconds && { access_token_lifetime: seconds }) },
    })
  })
})

test.each<[string[], string[] | undefined, string]>([
  [['https://shop.example', 'http://localhost:5173/'], ['https://shop.example', 'http://localhost:5173'], ''],
  [
    ['https://*.shop.example', '*'],
    undefined,
    'left out what is no origin alone: https://*.shop.example, *.',
  ],
])('the origins %j of a client of Hydra and of Keycloak become %j', (sent, origins, note) => {
  for (const read of [
    hydraClient({ ...hydra, allowed_cors_origins: sent }),
    keycloakClient({ ...keycloak, webOrigins: sent }),
  ]) {
    expect(read).toMatchObject({ note: expect.stringContaining(note) })
    expect('item' in read && read.item.allowed_origins).toEqual(origins)
  }
})

test('`+` among the origins of a client of Keycloak stands for those of its redirect URIs', () => {
  expect(keycloakClient({ ...keycloak, webOrigins: ['+', 'https://other.example'] })).toMatchObject({
    item: { allowed_origins: ['https://shop.example', 'https://other.example'] },
  })
})

test('a client of Hydra whose grants are no texts has no lifetime of tokens, and is left to the API', () => {
  const client = { grant_types: [{ toString: null }], access_token_lifespan: '1h' }
  expect(hydraClient(client)).toEqual({
    ...{ name: '', item: { grant_types: client.grant_types } },
    note: expect.stringContaining('access_token_lifespan'),
  })
})

describe('a client of Keycloak', () => {
  test('has the names of RFC 7591', () => {
    expect(keycloakClient(keycloak)).toEqual({
      name: 'shop',
      unneeded: expect.arrayContaining(['id', 'rootUrl', 'surrogateAuthRequired']),
      note: 'Left out redirect URIs with a wildcard, which must be exact here: https://shop.example/app/*.',
      item: {
        ...{ client_id: 'shop', client_secret: keycloak.secret, client_name: 'Shop' },
        redirect_uris: ['https://shop.example/callback', 'com.example.shop:/callback'],
        grant_types: [
          ...['authorization_code', 'client_credentials', 'refresh_token'],
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        ...{
          scope: 'openid profile email offline_access',
          token_endpoint_auth_method: 'client_secret_basic',
        },
        ...{ first_party: true, client_uri: 'https://shop.example/home', access_token_lifetime: 600 },
        logo_uri: 'https://shop.example/logo.png',
        backchannel_logout_uri: 'https://shop.example/logout',
        post_logout_redirect_uris: ['https://shop.example/bye', 'https://other.example/bye'],
      },
    })
  })

  test('that is public, asks for consent and is disabled stays so', () => {
    const changed = { ...keycloak, publicClient: true, consentRequired: true, enabled: false }
    const { item } = keycloakClient({ ...changed, directAccessGrantsEnabled: true }) as { item: object }
    expect(item).toMatchObject({ token_endpoint_auth_method: 'none', first_party: false, disabled: true })
    expect(item).not.toHaveProperty('client_secret')
    expect(item).toMatchObject({
      grant_types: expect.not.arrayContaining(['password', 'client_credentials']),
    })
  })

  test('after logout goes to its redirect URIs if it says so', () => {
    const attributes = { 'post.logout.redirect.uris': '+' }
    const { item } = keycloakClient({ ...keycloak, attributes }) as { item: object }
    expect(item).toMatchObject({
      post_logout_redirect_uris: ['https://shop.example/callback', 'com.example.shop:/callback'],
    })
  })

  test('without its secret is told so', () => {
    const { item, note } = keycloakClient({ ...keycloak, secret: '**********' }) as {
      item: object
      note: string
    }
    expect(item).not.toHaveProperty('client_secret')
    expect(note).toContain('asterisks instead of its secret')
  })

  test.each([
    ['one of Keycloak’s own', { clientId: 'account-console' }, 'own'],
    ['a realm', { clientId: 'staff-realm' }, 'own'],
    ['SAML', { protocol: 'saml' }, 'Not a client of OAuth 2.0'],
    ['a resource server', { bearerOnly: true }, 'resources add'],
  ])('is skipped if it is %s', (_, change, words) => {
    expect(keycloakClient({ ...keycloak, ...change })).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining(words),
    })
  })
})

test.each([null, 5, 'text', [], {}, { clientId: 5, redirectUris: 'x', attributes: [] }])(
  '%j is left to the API to refuse',
  (value) => {
    expect(hydraClient(value)).toMatchObject({ item: expect.any(Object) })
    expect(keycloakClient(value)).toMatchObject({ item: expect.any(Object) })
  },
)

describe('a file of clients', () => {
  const own = { client_id: 'shop', grant_types: ['client_credentials'] }
  const pretty = (value: unknown) => JSON.stringify(value, undefined, 2)
  const line = JSON.stringify

  test.each([
    ['lines of our own', `${line(own)}\n${line(own)}`, { client_id: 'shop', grant_types: own.grant_types }],
    ['lines of Hydra', `${line(hydra)}\n${line(hydra)}`, { access_token_lifetime: 5_400 }],
    ['a list of Hydra', line([hydra, hydra]), { access_token_lifetime: 5_400 }],
    [
      'a page of Hydra',
      pretty({ items: [hydra, hydra], is_last_page: true }),
      { access_token_lifetime: 5_400 },
    ],
    ['a list of Keycloak', pretty([keycloak, keycloak]), { client_id: 'shop' }],
    [
      'a realm of Keycloak',
      line({ id: 'x', realm: 'staff', roles: { client: [] }, clients: [keycloak, keycloak] }),
      { client_id: 'shop' },
    ],
  ])('is recognised: %s', async (_, text, expected) => {
    async function* source(): Source {
      yield Buffer.from(text)
    }
    const { records, prepare } = clientReading(undefined, text)
    const items: unknown[] = []
    for await (const record of records(source())) items.push('value' in record && prepare(record.value))
    expect(items).toHaveLength(2)
    for (const item of items) expect(item).toMatchObject({ item: expected })
  })
})
