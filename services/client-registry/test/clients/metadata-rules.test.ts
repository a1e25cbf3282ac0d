import { authenticationMethods } from '@gatehouse/proto/client-authentication'
import type { ClientMetadata } from '@gatehouse/proto/client-columns'
import { certificateFieldEntries, clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { expect, test } from 'vitest'
import { decideMetadata, type MetadataWriter } from '../../src/clients/metadata-rules.ts'
import { toClient } from '../../src/store/client-rows.ts'

const ecKey = {
  ...{ kty: 'EC', crv: 'P-256', kid: 'one' },
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

const columns = {
  ...{ clientName: 'Acme', redirectUris: ['https://app.example/cb'], grantTypes: ['authorization_code'] },
  ...{ scope: 'read', tokenEndpointAuthMethod: 'none', firstParty: false },
}

/** The fields without columns of a client that somebody changes, or that is new where `before` is undefined. */
function written(
  writer: MetadataWriter,
  before: object | undefined,
  metadata: object | undefined,
  openid = true,
) {
  const sent = { ...columns, metadata: metadata as Record<string, unknown> | undefined }
  return decideMetadata(
    { writer, before: before && { ...columns, metadata: before }, sent, defaults: {} },
    {
      ...{ openid, methods: authenticationMethods, redirectUriRules: { bareSchemes: false }, scopes: 'any' },
      hasRole: ({ resource, role }) => resource === 'https://api.example' && role === 'editor',
    },
  ).metadata
}

const change = (before: object, metadata: object | undefined) => written('administrator', before, metadata)
const fields = clientFieldEntries
  .filter(([, { column }]) => column === undefined)
  .map(([name]) => name as keyof ClientMetadata)

const good: Record<keyof ClientMetadata, unknown> = {
  jwks: { keys: [ecKey] },
  jwks_uri: 'https://app.example/keys.json',
  token_endpoint_auth_signing_alg: 'PS256',
  assertion_audience: 'token_endpoint_too',
  tls_client_auth_subject_dn: 'CN=app,O=Acme\\, Inc',
  tls_client_auth_san_dns: 'app.example.com',
  tls_client_auth_san_uri: 'spiffe://example.com/app',
  tls_client_auth_san_ip: '2001:db8::1',
  tls_client_auth_san_email: 'ops@example.com',
  client_uri: 'https://app.example/about?x=1',
  logo_uri: 'https://app.example/logo.png',
  policy_uri: 'https://app.example/privacy',
  tos_uri: 'https://app.example/terms',
  contacts: ['ops@app.example', 'Zoë'],
  software_id: 'b7d1',
  software_version: '1.2.3 ✓',
  access_token_lifetime: 60,
  id_token_signed_response_alg: 'ES256',
  default_max_age: 0,
  require_pushed_authorization_requests: true,
  require_pkce: false,
  require_nonce: false,
  default_resource: 'https://api.example/',
  id_token_user_claims: true,
  roles: [{ resource: 'https://api.example', role: 'editor' }],
  roles_of: 'https://api.example',
  claims_shape: 'keycloak',
  organizations: 'required',
  organization: 'org_01980000-0000-7000-8000-000000000000',
  application_type: 'native',
  post_logout_redirect_uris: ['https://app.example/bye?x=1', 'http://127.0.0.1/bye', 'com.example.app:/bye'],
  allowed_origins: ['https://app.example', 'http://localhost:5173', 'https://xn--bcher-kva.example:8443'],
  backchannel_logout_uri: 'https://app.example/logout?x=1',
  backchannel_logout_session_required: true,
}
/** The same without jwks_uri, which excludes jwks. */
const { jwks_uri: _uri, ...whole } = good
const bad: Record<keyof ClientMetadata, readonly unknown[]> = {
  jwks: [
    'keys',
    [ecKey],
    {},
    { keys: ecKey },
    { keys: [{ ...ecKey, d: 'x' }] },
    { keys: Array(11).fill(ecKey) },
  ],
  jwks_uri: ['http://app.example/keys.json', 'https://app.example/keys.json#x', 7],
  token_endpoint_auth_signing_alg: ['none', 'HS256', 'es256', 7],
  assertion_audience: ['token_endpoint', true],
  tls_client_auth_subject_dn: ['/O=Acme/CN=app', 'app', 7],
  tls_client_auth_san_dns: ['*.example.com', 'app..example', 'https://app.example', 7],
  tls_client_auth_san_uri: ['app', 'https://a b', 7],
  tls_client_auth_san_ip: ['192.0.2.0/24', 'fe80::1%eth0', 'localhost', 7],
  tls_client_auth_san_email: ['ops', 'ops@', 'a b@example.com', 7],
  client_uri: [
    'javascript:alert(1)',
    'app.example',
    'https://',
    'https://a b',
    `https://a/${'x'.repeat(2_000)}`,
    7,
  ],
  logo_uri: ['data:image/png;base64,AA==', 7],
  policy_uri: ['javascript:alert(1)', ' '],
  tos_uri: ['app.example', ['https://app.example/']],
  contacts: ['ops@app.example', Array(11).fill('x'), [''], ['x'.repeat(201)], [7], {}],
  software_id: ['x'.repeat(201), '\u200b', 'a\nb', 7, ['x'], {}],
  software_version: ['x'.repeat(201), 'a\u202eb', true],
  access_token_lifetime: [59, 604_801, 60.5, '60', Number.NaN, -1, [60]],
  id_token_signed_response_alg: ['none', 'HS256', 'es256', 7, ['ES256']],
  default_max_age: [-1, 0.5, '0', 31_536_001],
  id_token_user_claims: ['true', 1],
  require_pushed_authorization_requests: ['true', 1, 'yes'],
  require_pkce: ['false', 0, 'no', ['x']],
  require_nonce: ['true', 1],
  default_resource: [
    7,
    `https://api.example/${'x'.repeat(2_048)}`,
    'https://a\u202eb',
    'not a uri',
    '/api',
    'https://api.example/#a',
  ],
  roles: [
    'editor',
    ['editor'],
    [{ resource: 'https://api.example', role: 'reader' }],
    [{ resource: 'https://api.example/', role: 'editor' }],
    [{ resource: 'https://api.example' }],
    [{ resource: 'https://api.example', role: 'editor', more: true }],
    [null],
    Array(101).fill({ resource: 'https://api.example', role: 'editor' }),
  ],
  roles_of: ['orders', 7, ['https://api.example']],
  claims_shape: ['round', true],
  organizations: ['on', true, ['off']],
  organization: [
    'acme',
    'org_acme',
    'org_01980000-0000-7000-8000-00000000000A',
    '01980000-0000-7000-8000-000000000000',
    ['org_01980000-0000-7000-8000-000000000000'],
  ],
  application_type: ['Native', 7, ['web']],
  post_logout_redirect_uris: [
    'https://app.example/bye',
    ['http://app.example/bye'],
    ['https://app.example/bye', 'javascript:alert(1)'],
    ['https://app.example/bye#x'],
    ['https://app.example/*', 7],
    Array(21).fill('https://app.example/bye'),
  ],
  allowed_origins: [
    'https://app.example',
    ...['*', 'null', 'https://app.example/', 'https://app.example/cb', 'https://APP.example'].map((one) => [
      one,
    ]),
    ...['https://app.example:443', 'https://ann@app.example', 'com.example.app:', 'ws://app.example'].map(
      (one) => [one],
    ),
    ['http://localhost:*'],
    ['https://*.app.example'],
    [7],
    Array(21).fill('https://app.example'),
  ],
  backchannel_logout_uri: [
    'http://app.example/logout',
    'http://localhost.example/logout',
    'https://app.example/logout#x',
    'https://ann:secret@app.example/logout',
    'com.example.app:/logout',
    ['https://app.example/logout'],
  ],
  backchannel_logout_session_required: ['true', 1],
}

test.each(fields)('%s that is empty counts as absent', (name) => {
  for (const value of ['', [], null]) {
    expect(change({}, { [name]: value })).toEqual({})
    expect(change({ [name]: good[name] }, { [name]: value })).toEqual({})
  }
})

test.each(fields)(
  '%s is stored as it was sent, and an invalid value is refused by the field’s name',
  (name) => {
    expect(change({}, { [name]: good[name] })).toEqual({ [name]: good[name] })
    for (const value of bad[name]) {
      expect(() => change({}, { [name]: value }), String(value)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          description: expect.stringMatching(`^${name} .+\\.$`),
        }),
      )
    }
  },
)

test('ignores administrators’ fields when anybody registers a client', () => {
  const {
    access_token_lifetime: _lifetime,
    require_pkce: _pkce,
    require_nonce: _nonce,
    default_resource: _resource,
    roles: _roles,
    roles_of: _rolesOf,
    claims_shape: _shape,
    organizations: _organizations,
    organization: _organization,
    allowed_origins: _origins,
    id_token_user_claims: _claims,
    assertion_audience: _audience,
    ...others
  } = whole
  expect(written('stranger', undefined, whole)).toEqual(others)
  const before = { access_token_lifetime: 90 }
  for (const writer of ['client', 'document'] as const)
    expect(written(writer, before, { access_token_lifetime: 'x' })).toEqual(before)
})

test('does not know the fields of OpenID Connect where that is off, unless an administrator sends them', () => {
  const { client_uri, contacts, software_id, software_version } = good
  const { jwks, token_endpoint_auth_signing_alg } = whole
  const ofCertificates = Object.fromEntries(certificateFieldEntries.map(([name]) => [name, whole[name]]))
  const known = {
    ...{ client_uri, contacts, software_id, software_version, jwks, token_endpoint_auth_signing_alg },
    ...ofCertificates,
  }
  expect(written('stranger', undefined, { ...whole, default_max_age: 'x' }, false)).toEqual(known)
  expect(written('import', undefined, whole, false)).toEqual(whole)
})

test('an administrator keeps absent fields, removes those that are null, and no one sets unknown ones', () => {
  const before = change({}, whole)
  expect(change(before, undefined)).toEqual(whole)
  expect(change(before, { software_id: null, x: 1, __proto__: 2 })).toEqual({
    ...whole,
    software_id: undefined,
  })
  expect(JSON.stringify(change(before, { client_uri: 'https://a.example' }))).toMatch(
    /"client_uri":"https:\/\/a.example","logo_uri"/,
  )
})

test('a client that replaces its metadata loses the absent fields that it may set', () => {
  const { software_id, ...others } = whole
  const { client_uri, access_token_lifetime } = whole
  expect(written('client', whole, { software_id })).toMatchObject({ software_id, access_token_lifetime })
  expect(written('client', { ...others, client_uri }, {})).not.toHaveProperty('client_uri')
})

test('reads a stored document without fields that no longer exist', () => {
  const row = {
    ...{ ...columns, clientId: 'a', disabledAt: null, createdBy: 'x', scopeSetBy: 'administrator' },
    ...{ createdAt: new Date(0), revision: 1n },
  }
  const read = (metadata: unknown) => toClient({ ...row, metadata })
  expect(read({ software_id: 'x', former: 1 }).metadata).toEqual({ software_id: 'x' })
  expect(read({})).toMatchObject({ createdBy: 'registration', scopeSetBy: 'administrator' })
  for (const stored of [null, 'x', 7, []]) expect(read(stored).metadata).toEqual({})
})
