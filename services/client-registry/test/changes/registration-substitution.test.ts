import { emitNothing } from '@gatehouse/kit/events/emission'
import { authenticationMethods } from '@gatehouse/proto/client-authentication'
import type { SentColumns } from '@gatehouse/proto/client-columns'
import { expect, test } from 'vitest'
import { registerClient } from '../../src/changes/registration.ts'
import type { Client } from '../../src/clients/client.ts'

const redirectUris = ['https://app.example/cb']

/** Registers where RFC 7591 holds in full. */
async function register(request: SentColumns, changes: object = {}) {
  const { client, clientSecret, registrationAccessToken } = await registerClient(
    { redirectUris, grantTypes: [], ...request },
    {
      store: {
        add: async (client) => ({
          ...client,
          firstParty: false,
          disabled: false,
          scopeSetBy: 'registration',
          createdAt: new Date(0),
          revision: 1n,
        }),
      },
      ...{ emit: emitNothing, openid: true, full: true, open: true, methods: authenticationMethods },
      redirectUriRules: { bareSchemes: true },
      openResourceScopes: async () => [],
      scopesSupported: new Set(['openid', 'read', 'write', 'admin']),
      grantTypes: ['authorization_code', 'client_credentials', 'refresh_token'],
      randomUuid: () => '0190f0a0-0000-4000-8000-000000000000',
      randomBytes: (size) => Buffer.alloc(size, 7),
      ...changes,
    },
  )
  return { ...client, clientSecret, registrationAccessToken }
}

test('the scopes of groups and roles are for clients that ask for them', async () => {
  const server = { scopesSupported: new Set(['openid', 'read', 'groups', 'roles']) }
  expect((await register({}, server)).scope).toBe('openid read')
  expect((await register({ scope: 'openid groups' }, server)).scope).toBe('openid groups')
})

test.each<[string, SentColumns, Partial<Client>]>([
  [
    'an unknown authentication method',
    { tokenEndpointAuthMethod: 'client_secret_jwt' },
    { tokenEndpointAuthMethod: 'client_secret_basic' },
  ],
  [
    'unknown grants and those that are off',
    { grantTypes: ['authorization_code', 'implicit', 'password', 'refresh_token'] },
    { grantTypes: ['authorization_code', 'refresh_token'] },
  ],
  ['only unknown grants', { grantTypes: ['implicit'] }, { grantTypes: ['authorization_code'] }],
  [
    'grants that begin nothing',
    { grantTypes: ['refresh_token'] },
    { grantTypes: ['authorization_code', 'refresh_token'] },
  ],
  [
    'a grant that needs a secret',
    { grantTypes: ['authorization_code', 'client_credentials'], tokenEndpointAuthMethod: 'none' },
    { grantTypes: ['authorization_code'], tokenEndpointAuthMethod: 'none' },
  ],
  ['unknown scopes', { scope: 'openid email read' }, { scope: 'openid read' }],
  ['the scope of administrators', { scope: 'read admin' }, { scope: 'read' }],
  ['only unknown scopes', { scope: 'mcp:tools' }, { scope: 'openid read write' }],
  ['an unknown choice', { metadata: { application_type: 'desktop' } }, { metadata: {} }],
])('%s is replaced, and the answer says so', async (_what, request, expected) => {
  expect(await register(request)).toMatchObject(expected)
})

test('what is supported stays', async () => {
  const request = {
    clientName: 'Editor',
    grantTypes: ['authorization_code', 'refresh_token'],
    scope: 'openid write',
    tokenEndpointAuthMethod: 'none',
    metadata: { application_type: 'native', client_uri: 'https://app.example/', something: 'else' },
  }
  expect(await register(request)).toMatchObject({
    ...request,
    metadata: { application_type: 'native', client_uri: 'https://app.example/' },
    clientSecret: undefined,
    registrationAccessToken: expect.stringMatching(/^[\w-]{43}$/),
  })
})

test('a method without a secret is replaced where public clients are off', async () => {
  const { tokenEndpointAuthMethod, clientSecret } = await register(
    { tokenEndpointAuthMethod: 'none' },
    { methods: ['client_secret_basic'] as const },
  )
  expect([tokenEndpointAuthMethod, clientSecret]).toEqual(['client_secret_basic', expect.any(String)])
})

test.each<[string, SentColumns]>([
  ['redirect_uris', { redirectUris: [] }],
  ['redirect_uris[0]', { redirectUris: ['http://app.example/'] }],
  ['redirect_uris[1]', { redirectUris: [...redirectUris, 'javascript:alert(1)'] }],
])('a fault of %s is invalid_redirect_uri', async (field, request) => {
  await expect(register(request)).rejects.toMatchObject({
    code: 'invalid_redirect_uri',
    description: expect.stringContaining(field),
  })
})

test.each<[string, SentColumns]>([
  ['client_name', { clientName: 'Ed\u202eitor' }],
  ['client_uri', { metadata: { client_uri: 'javascript:alert(1)' } }],
  ['contacts', { metadata: { contacts: 'ann@app.example' } }],
])('a fault of %s is invalid_client_metadata', async (field, request) => {
  await expect(register(request)).rejects.toMatchObject({
    code: 'invalid_client_metadata',
    description: expect.stringContaining(field),
  })
})
