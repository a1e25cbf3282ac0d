import { authenticationMethods } from '@gatehouse/proto/client-authentication'
import { describe, expect, test } from 'vitest'
import { decideMetadata } from '../../src/clients/metadata-rules.ts'

const address = 'https://app.example/keys.json'
const ecKey = {
  ...{ kty: 'EC', crv: 'P-256', kid: 'one' },
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

const columns = {
  ...{ clientName: 'Acme', redirectUris: ['https://app.example/cb'], grantTypes: ['authorization_code'] },
  ...{ scope: 'read', tokenEndpointAuthMethod: 'none', firstParty: false },
}

const change = (before: object, metadata: Record<string, unknown>) =>
  decideMetadata(
    {
      ...{ writer: 'administrator', defaults: {} },
      ...{ before: { ...columns, metadata: before }, sent: { ...columns, metadata } },
    },
    {
      ...{ openid: true, redirectUriRules: { bareSchemes: false }, scopes: 'any' },
      methods: authenticationMethods,
    },
  ).metadata

describe('keys', () => {
  const rules = {
    ...{ openid: true, redirectUriRules: { bareSchemes: false }, scopes: 'any' as const },
    methods: authenticationMethods,
  }
  const signer = (metadata: object, methods: typeof authenticationMethods = authenticationMethods) =>
    decideMetadata(
      {
        ...{ writer: 'stranger', defaults: {} },
        sent: { ...columns, tokenEndpointAuthMethod: 'private_key_jwt', metadata: { ...metadata } },
      },
      { ...rules, methods },
    ).metadata
  const encryption = { ...ecKey, use: 'enc' }

  test.each<[object, string]>([
    [{}, 'token_endpoint_auth_method private_key_jwt needs jwks or jwks_uri.'],
    [{ jwks: { keys: [] } }, 'jwks has no key for signatures.'],
    [{ jwks: { keys: [encryption] } }, 'jwks has no key for signatures.'],
    [
      { jwks: { keys: [ecKey] }, token_endpoint_auth_signing_alg: 'PS256' },
      'jwks has no key for token_endpoint_auth_signing_alg PS256.',
    ],
    [
      { jwks: { keys: [ecKey] }, jwks_uri: address },
      'jwks and jwks_uri exclude each other: send one of them, or null for the other one.',
    ],
  ])('of a client that signs: %j is refused', (metadata, description) => {
    expect(() => signer(metadata)).toThrow(expect.objectContaining({ code: 'invalid_request', description }))
  })

  test('are stored with the members that say which key it is and for what', () => {
    const more = { x5c: ['MIIB'], use: 'sig', key_ops: ['verify'], note: 'x', iat: 7, alg: 'ES256' }
    const { note: _note, iat: _iat, ...kept } = more
    expect(signer({ jwks: { keys: [{ ...ecKey, ...more }, encryption], more: 1 } })).toEqual({
      jwks: { keys: [{ ...ecKey, ...kept }, encryption] },
    })
  })

  test('and their method are unknown where no method of OAUTH2_CLIENT_AUTH_METHODS needs them', () => {
    expect(() => signer({}, ['client_secret_basic'])).toThrow(
      expect.objectContaining({
        description: 'token_endpoint_auth_method must be one of client_secret_basic.',
      }),
    )
    const sent = { ...columns, metadata: { jwks: 'x', jwks_uri: 7 } }
    const stored = decideMetadata({ writer: 'stranger', sent, defaults: {} }, { ...rules, methods: ['none'] })
    expect(stored.metadata).toEqual({})
  })

  test('give way to an address, and an address to them', () => {
    const [uri, jwks] = [address, { keys: [ecKey] }]
    expect(change({ jwks }, { jwks: null, jwks_uri: uri })).toEqual({ jwks_uri: uri })
    expect(change({ jwks_uri: uri }, { jwks, jwks_uri: null })).toEqual({ jwks })
    expect(() => change({ jwks }, { jwks_uri: uri })).toThrow(/exclude each other/)
  })
})
