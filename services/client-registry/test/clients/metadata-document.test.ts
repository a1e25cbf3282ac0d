import { type ClientFieldName, clientFieldEntries, schemaOf } from '@gatehouse/proto/client-metadata'
import { expect, test } from 'vitest'
import { changeMetadata, metadataOf } from '../../src/clients/metadata-document.ts'

const good: Record<ClientFieldName, unknown> = {
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
  require_pkce: false,
  require_nonce: false,
  default_resource: 'https://api.example/',
  id_token_user_claims: true,
  application_type: 'native',
  post_logout_redirect_uris: ['https://app.example/bye?x=1', 'http://127.0.0.1/bye', 'com.example.app:/bye'],
  allowed_origins: ['https://app.example', 'http://localhost:5173', 'https://xn--bcher-kva.example:8443'],
  backchannel_logout_uri: 'https://app.example/logout?x=1',
  backchannel_logout_session_required: true,
}
const bad: Record<ClientFieldName, readonly unknown[]> = {
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

test.each(clientFieldEntries)('%s that is empty counts as absent', (name) => {
  for (const value of ['', [], null]) {
    expect(changeMetadata({}, { [name]: value }, 'administrators')).toEqual({})
    expect(changeMetadata({ [name]: good[name] }, { [name]: value }, 'administrators')).toEqual({})
  }
})

test.each(clientFieldEntries)(
  '%s is stored as it was sent, and an invalid value is refused by the field’s name',
  (name) => {
    const changed = changeMetadata({}, { [name]: good[name] }, 'administrators')
    expect(changed).toEqual({ [name]: good[name] })
    for (const value of bad[name]) {
      expect(() => changeMetadata({}, { [name]: value }, 'administrators'), String(value)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          description: expect.stringMatching(`^${name} .+\\.$`),
        }),
      )
    }
  },
)

test.each(clientFieldEntries)('%s has a JSON schema', (_, field) => {
  expect(schemaOf(field)).toHaveProperty('type')
})

test('ignores administrators’ fields when anybody registers a client', () => {
  const {
    access_token_lifetime: _lifetime,
    require_pkce: _pkce,
    require_nonce: _nonce,
    default_resource: _resource,
    allowed_origins: _origins,
    id_token_user_claims: _claims,
    ...others
  } = good
  expect(changeMetadata({}, good, 'anybody')).toEqual(others)
  const before = { access_token_lifetime: 90 }
  expect(changeMetadata(before, { access_token_lifetime: 'x' }, 'anybody')).toEqual(before)
})

test('does not know the fields of OpenID Connect where that is off', () => {
  const { client_uri, contacts, software_id, software_version } = good
  const known = { client_uri, contacts, software_id, software_version }
  expect(changeMetadata({}, { ...good, default_max_age: 'x' }, 'anybody', false)).toEqual(known)
})

test('keeps absent fields, removes those that are null, and ignores unknown ones', () => {
  const before = changeMetadata({}, good, 'administrators')
  expect(changeMetadata(before, undefined, 'administrators')).toEqual(good)
  expect(changeMetadata(before, { software_id: null, x: 1, __proto__: 2 }, 'administrators')).toEqual({
    ...good,
    software_id: undefined,
  })
  expect(
    JSON.stringify(changeMetadata({ ...before }, { client_uri: 'https://a.example' }, 'anybody')),
  ).toMatch(/^\{"client_uri":"https:\/\/a.example","logo_uri"/)
})

test('reads a stored document without fields that no longer exist', () => {
  expect(metadataOf({ software_id: 'x', former: 1 })).toEqual({ software_id: 'x' })
  for (const stored of [null, 'x', 7, []]) expect(metadataOf(stored)).toEqual({})
})
