import { expect, test } from 'vitest'
import type { Client, Presented } from '../../../src/clients/client-authentication.ts'
import { authenticateClient, identifyClient } from '../../../src/clients/sender.ts'
import { anyMethod, findAmong, kept, publicClient, someClient } from '../clients.ts'
import { assertionOf, clientKey, keyedClient, keySetOf, presentingAssertion } from './signed.ts'

const now = 1_900_000_000_000
const key = clientKey('ES256')
const client = keyedClient([key])

type Changes = { clientAuthMethods?: ReadonlySet<string> }

const authenticate = (presented: Presented, from: Client = client, changes: Changes = {}) =>
  authenticateClient(presented, { ...anyMethod, findClient: findAmong([from]), now: () => now, ...changes })

const judged = (assertion: string, from: Client = client, changes: Changes = {}) =>
  authenticate(presentingAssertion(assertion), from, changes).then(
    () => 'valid',
    (error) => error.failed?.reason ?? error.code,
  )

const withClaims = (claims: object) => assertionOf(key, { now, claims })
const whole = assertionOf(key, { now })

test.each<[what: string, from: Client, presented: Presented, reason: string]>([
  [
    'its secret, where it registered keys',
    keyedClient([key], { secrets: [kept('right')] }),
    { credentials: [{ clientId: 'client_a', clientSecret: 'right' }] },
    'no_assertion',
  ],
  [
    'nothing, where it registered keys',
    client,
    { credentials: [{ clientId: 'client_a', clientSecret: '' }] },
    'no_assertion',
  ],
  [
    'an assertion, where it registered a secret',
    someClient({ metadata: { jwks: keySetOf(key) } }),
    presentingAssertion(whole),
    'no_secret',
  ],
  [
    'an assertion, where it is public',
    publicClient({ metadata: { jwks: keySetOf(key) } }),
    presentingAssertion(whole),
    'public_client',
  ],
  ['an assertion without keys', keyedClient([]), presentingAssertion(whole), 'wrong_assertion'],
  [
    'an assertion with keys that cannot be read',
    keyedClient([], { metadata: { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } } }),
    presentingAssertion(whole),
    'wrong_assertion',
  ],
  [
    'an assertion while it is disabled',
    keyedClient([key], { disabled: true }),
    presentingAssertion(whole),
    'disabled',
  ],
])('a client does not authenticate by %s', async (_, from, presented, reason) => {
  const deps = { ...anyMethod, findClient: findAmong([from]), now: () => now, publicClientsEnabled: true }
  for (const attempt of [authenticateClient(presented, deps), identifyClient(presented, deps)])
    await expect(attempt).rejects.toMatchObject({
      ...{ code: 'invalid_client', failed: { clientId: 'client_a', reason } },
      description: expect.not.stringContaining('client_a'),
    })
})

test('nobody learns whether the client exists', async () => {
  const assertion = assertionOf(key, { now, clientId: 'client_x' })
  await expect(authenticate(presentingAssertion(assertion, 'client_x'))).rejects.toMatchObject({
    ...{ code: 'invalid_client', failed: undefined },
    description: 'The client is unknown or its credentials are wrong.',
  })
  await expect(authenticate({ ...presentingAssertion(whole), credentials: [] })).rejects.toMatchObject({
    ...{ code: 'invalid_client', failed: undefined },
  })
})

test.each<[what: string, changes: Partial<Presented>]>([
  ['a secret too', { credentials: [{ clientId: 'client_a', clientSecret: 'right' }] }],
  ['a token too', { token: { token: 'x', scheme: 'bearer' } }],
  ['no type', { assertionType: undefined }],
  ['another type', { assertionType: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }],
  ['the type alone', { assertion: undefined }],
  ['the type alone and nobody named', { assertion: undefined, credentials: [] }],
])('a request with an assertion and %s is malformed', async (_, changes) => {
  const presented = { ...presentingAssertion(whole), ...changes }
  await expect(authenticate(presented)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('a method that is switched off proves nothing, and its clients are not asked for keys', async () => {
  const methods = new Set(['client_secret_basic'])
  const off = { clientAuthMethods: methods }
  expect(await judged(whole, client, off)).toBe('method_off')
  expect(await judged(withClaims({ exp: 1 }), client, off)).toBe('method_off')
  const post = someClient({ tokenEndpointAuthMethod: 'client_secret_post' })
  const secret = { credentials: [{ clientId: 'client_a', clientSecret: 'right' }] }
  await expect(authenticate(secret, post, off)).rejects.toMatchObject({ failed: { reason: 'method_off' } })
  expect((await authenticate(secret, someClient(), off)).client.clientId).toBe('client_a')
  const deps = { ...anyMethod, ...off, findClient: findAmong([publicClient()]), now: () => now }
  const named = identifyClient(
    { credentials: [{ clientId: 'client_public', clientSecret: '' }] },
    { ...deps, publicClientsEnabled: true },
  )
  // Public clients are switched by a variable of their own.
  await expect(named).rejects.toMatchObject({ failed: undefined })
  const isPublic = identifyClient(
    { credentials: [{ clientId: 'client_a', clientSecret: '' }] },
    { ...deps, publicClientsEnabled: true },
  )
  expect((await isPublic).client.clientId).toBe('client_a')
})

test('notes which key was used, by its thumbprint', async () => {
  const used: string[] = []
  const deps = {
    ...{ ...anyMethod, findClient: findAmong([client]), now: () => now },
    noteKeyUse: (clientId: string, thumbprint: Uint8Array) =>
      void used.push(`${clientId} ${Buffer.from(thumbprint).toString('base64url')}`),
  }
  await authenticateClient(presentingAssertion(whole), deps)
  expect(used).toEqual([expect.stringMatching(/^client_a [\w-]{43}$/)])
  await expect(authenticateClient(presentingAssertion(withClaims({ exp: 1 })), deps)).rejects.toThrow()
  expect(used).toHaveLength(1)
})
