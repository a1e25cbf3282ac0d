import { createHash } from 'node:crypto'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { authenticationMethods } from '@gatehouse/proto/client-authentication'
import type { SentColumns } from '@gatehouse/proto/client-columns'
import { describe, expect, test } from 'vitest'
import { type RegistrationDeps, registerClient } from '../../src/changes/registration.ts'

const uuid = '0190f0a0-0000-4000-8000-000000000000'
const bytes = Buffer.alloc(32, 0xfb)

/** Registers a client with the required fields only, and returns it with what was stored. */
async function register(request: SentColumns, changes: Partial<Omit<RegistrationDeps, 'store'>> = {}) {
  const kept: { client: object; digest: Uint8Array | undefined }[] = []
  const answer = await registerClient(
    { redirectUris: [], grantTypes: [], ...request },
    {
      store: {
        add: async (client, digest) => {
          kept.push({ client, digest })
          return {
            ...client,
            ...{ firstParty: false, disabled: false, createdAt: new Date(0), revision: 1n },
            scopeSetBy: 'registration',
          }
        },
      },
      emit: emitNothing,
      openid: false,
      openResourceScopes: async () => [],
      open: true,
      methods: ['client_secret_basic', 'client_secret_post'] as const,
      redirectUriRules: { bareSchemes: false },
      full: false,
      grantTypes: ['authorization_code', 'client_credentials', 'refresh_token'],
      scopesSupported: new Set(['read', 'write', 'email']),
      randomUuid: () => uuid,
      randomBytes: (size) => {
        expect(size).toBe(32)
        return bytes
      },
      ...changes,
    },
  )
  expect(kept).toHaveLength(1)
  return { ...answer, digest: kept[0]?.digest, kept }
}

const machine = { grantTypes: ['client_credentials'] }
const redirectUris = ['https://app.example/cb']

test('uses defaults for absent fields', async () => {
  const { client } = await register({ redirectUris })
  expect(client).toMatchObject({
    clientId: `client_${uuid}`,
    clientName: `client_${uuid}`,
    redirectUris,
    grantTypes: ['authorization_code'],
    scope: 'read',
    tokenEndpointAuthMethod: 'client_secret_basic',
  })
})

test('stores fields as they were sent', async () => {
  const request = {
    clientName: 'Acme – Zürich',
    redirectUris: ['https://app.example/cb', 'com.example.app:/cb'],
    grantTypes: ['authorization_code', 'refresh_token'],
    scope: 'write read',
    tokenEndpointAuthMethod: 'client_secret_post',
  }
  expect((await register(request)).client).toMatchObject(request)
})

test('gives a secret of 43 characters that need no encoding, and stores only its SHA-256', async () => {
  const { clientSecret = '', digest, kept } = await register(machine)
  expect(clientSecret).toMatch(/^[\w-]{43}$/)
  expect(clientSecret).toBe(bytes.toString('base64url'))
  expect(Buffer.from(digest ?? [])).toEqual(createHash('sha256').update(clientSecret).digest())
  expect(JSON.stringify(kept)).not.toContain(clientSecret)
})

test('stores repeated values once', async () => {
  const { client } = await register({
    redirectUris: [...redirectUris, ...redirectUris],
    grantTypes: ['authorization_code', 'authorization_code'],
    scope: 'read write read',
  })
  expect(client).toMatchObject({ redirectUris, grantTypes: ['authorization_code'], scope: 'read write' })
})

test.each(['client_credentials', 'refresh_token', 'password'])(
  'registers the grant %s without a redirect URI',
  async (grant) => {
    expect((await register({ grantTypes: [grant] })).client.grantTypes).toEqual([grant])
  },
)

test.each([undefined, '', '   '])('uses the id for the empty name %j', async (clientName) => {
  expect((await register({ ...machine, clientName })).client.clientName).toBe(`client_${uuid}`)
})

test('uses the default for an empty scope', async () => {
  expect((await register({ ...machine, scope: '' })).client.scope).toBe('read')
})

test('allows exactly the limits', async () => {
  const { client } = await register({
    clientName: '📝'.repeat(200),
    redirectUris: Array.from({ length: 20 }, (_, index) => `https://app.example/${index}`),
  })
  expect(client.redirectUris).toHaveLength(20)
})

test.each<[string, SentColumns, string]>([
  ['no redirect URI', {}, 'redirect_uris'],
  [
    'no redirect URI with another grant besides',
    { grantTypes: ['client_credentials', 'authorization_code'] },
    'redirect_uris',
  ],
  ['a bad redirect URI', { redirectUris: ['https://a.example', 'http://b.example'] }, 'redirect_uris[1]'],
  ['a bad redirect URI that is not needed', { ...machine, redirectUris: ['x'] }, 'redirect_uris[0]'],
  [
    '21 redirect URIs',
    { redirectUris: Array.from({ length: 21 }, (_, index) => `https://app.example/${index}`) },
    'redirect_uris',
  ],
  ['an unknown grant', { grantTypes: ['client_credentials', 'implicit'] }, 'grant_types'],
  ['an empty grant', { grantTypes: [''] }, 'grant_types'],
  ['a grant named like a property of every object', { grantTypes: ['constructor'] }, 'grant_types'],
  ['a long name', { ...machine, clientName: 'x'.repeat(201) }, 'client_name'],
  ['an invisible name', { ...machine, clientName: '\u200b' }, 'client_name'],
  ['a name with a line break', { ...machine, clientName: 'a\nb' }, 'client_name'],
  ['a name that reverses the text after it', { ...machine, clientName: 'Acme\u202emoc.live' }, 'client_name'],
  ['a name of two lines', { ...machine, clientName: 'Acme\u2028Allow' }, 'client_name'],
  ['a name with a NUL', { ...machine, clientName: 'a\0b' }, 'client_name'],
  ['no authentication', { ...machine, tokenEndpointAuthMethod: 'none' }, 'token_endpoint_auth_method'],
  ['an unknown authentication', { ...machine, tokenEndpointAuthMethod: 'tls' }, 'token_endpoint_auth_method'],
])('refuses %s with the name of the field', async (_, request, field) => {
  await expect(register(request)).rejects.toMatchObject({
    code: 'invalid_request',
    description: expect.stringContaining(field),
  })
})

test.each([
  ['unknown', 'read admin'],
  ['with two spaces', 'read  write'],
  ['with a space before', ' read'],
  ['of another case', 'Read'],
  ['too long', 'read '.repeat(250)],
])('refuses a scope that is %s with invalid_scope', async (_, scope) => {
  await expect(register({ ...machine, scope })).rejects.toMatchObject({
    code: 'invalid_scope',
    description: expect.stringContaining('scope'),
  })
})

test('does not repeat what was sent in an error description', async () => {
  const evil = '"><script>\\'
  for (const request of [
    { grantTypes: [evil] },
    { redirectUris: [evil] },
    { ...machine, scope: evil },
    { ...machine, tokenEndpointAuthMethod: evil },
  ]) {
    await expect(register(request)).rejects.toMatchObject({
      description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
    })
  }
})

test('gives no secret to a client that could not be stored', async () => {
  const failure = new Error('away')
  const attempt = registerClient(
    { redirectUris: [], ...machine },
    {
      store: { add: () => Promise.reject(failure) },
      emit: emitNothing,
      openid: false,
      openResourceScopes: async () => [],
      open: true,
      methods: ['client_secret_basic', 'client_secret_post'] as const,
      redirectUriRules: { bareSchemes: false },
      full: false,
      grantTypes: ['authorization_code', 'client_credentials', 'refresh_token'],
      scopesSupported: new Set(['read']),
      randomUuid: () => uuid,
      randomBytes: () => bytes,
    },
  )
  await expect(attempt).rejects.toBe(failure)
})

describe('a client without a secret', () => {
  const app = { redirectUris, tokenEndpointAuthMethod: 'none' }

  test('may register while public clients are enabled, and gets no secret', async () => {
    const { client, clientSecret, digest } = await register(
      { ...app, grantTypes: ['authorization_code', 'refresh_token'] },
      { methods: authenticationMethods, randomBytes: () => expect.unreachable('no secret is made') },
    )
    expect(client).toMatchObject({
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    })
    expect([clientSecret, digest]).toEqual([undefined, undefined])
  })

  test('may not register while they are disabled, and the error does not name `none`', async () => {
    await expect(register(app)).rejects.toMatchObject({
      code: 'invalid_request',
      description: 'token_endpoint_auth_method must be one of client_secret_basic, client_secret_post.',
    })
  })

  test.each(['client_credentials', 'password'])(
    'may not use the grant %s, alone or with others',
    async (grant) => {
      for (const grantTypes of [[grant], ['authorization_code', grant]]) {
        await expect(
          register({ ...app, grantTypes }, { methods: authenticationMethods }),
        ).rejects.toMatchObject({
          code: 'invalid_request',
          description: expect.stringContaining(`grant_types has ${grant}`),
        })
      }
    },
  )

  test('registers only on request: other clients get a secret', async () => {
    const { clientSecret, digest } = await register({ redirectUris }, { methods: authenticationMethods })
    expect(clientSecret).toMatch(/^[\w-]{43}$/)
    expect(digest).toHaveLength(32)
  })
})

test('never registers the scope admin, whatever the server supports', async () => {
  for (const words of [
    ['read', 'admin'],
    ['admin', 'read'],
    ['admin', 'other'],
  ]) {
    const scopesSupported = new Set(words)
    for (const scope of ['admin', 'read admin', 'admin read'])
      await expect(register({ ...machine, scope }, { scopesSupported })).rejects.toMatchObject({
        code: 'invalid_scope',
        description: expect.not.stringContaining('admin'),
      })
    expect((await register(machine, { scopesSupported })).client.scope).not.toContain('admin')
  }
  await expect(register(machine, { scopesSupported: new Set(['admin']) })).rejects.toMatchObject({
    code: 'invalid_scope',
  })
})
