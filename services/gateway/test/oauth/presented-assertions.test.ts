import { jwtBearerAssertion as type } from '@gatehouse/proto/client-authentication'
import { expect, test } from 'vitest'
import { presentedBy } from '../../src/oauth/presented.ts'
import { gateway } from '../../testing/gateway.ts'

const assertionOf = (payload: unknown) =>
  `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`
const assertion = assertionOf({ sub: 'client_a' })
const present = (body: object, authorization?: string) => presentedBy({ headers: { authorization }, body })

test('an assertion names its client, unless the form does', () => {
  const sent = { client_assertion: assertion, client_assertion_type: type }
  const expected = { assertion, assertionType: type }
  expect(present(sent)).toEqual({ ...expected, credentials: [{ clientId: 'client_a', clientSecret: '' }] })
  expect(present({ ...sent, client_id: 'b' })).toEqual({
    ...expected,
    credentials: [{ clientId: 'b', clientSecret: '' }],
  })
})

test.each([
  ['no JWT', 'x'],
  ['no JSON', 'e30.e30x.x'],
  ['no object', assertionOf(7)],
  ['null', assertionOf(null)],
  ['no sub', assertionOf({})],
  ['a number as sub', assertionOf({ sub: 7 })],
  ['a NUL in sub', assertionOf({ sub: 'a\0b' })],
  ['half a character in sub', assertionOf({ sub: '\ud800' })],
  ['a sub that is no client_id', assertionOf({ sub: 'x'.repeat(2_049) })],
  ['an assertion that is too long', assertionOf({ sub: 'client_a', x: 'x'.repeat(8_000) })],
])('%s names no client, and the token service refuses it', (_, client_assertion) => {
  const { credentials } = present({ client_assertion, client_assertion_type: type })
  expect(credentials).toEqual([{ clientId: '', clientSecret: '' }])
})

test.each([
  ['no type', { client_assertion: assertion }],
  ['no assertion', { client_assertion_type: type, client_id: 'a', client_secret: 'b' }],
  ['another type', { client_assertion: assertion, client_assertion_type: `${type}2` }],
])('%s: invalid_request', (_, body) => {
  expect(() => present(body)).toThrow(
    expect.objectContaining({ code: 'invalid_request', description: expect.stringContaining(type) }),
  )
})

test('a secret beside an assertion is refused, wherever it is', () => {
  const sent = { client_assertion: assertion, client_assertion_type: type }
  const refusal = expect.objectContaining({
    code: 'invalid_request',
    description: 'Authenticate by one method only: a secret or client_assertion.',
  })
  expect(() => present({ ...sent, client_secret: 'b' })).toThrow(refusal)
  expect(() => present(sent, `Basic ${Buffer.from('client_a:b').toString('base64')}`)).toThrow(refusal)
})

const form = new URLSearchParams({
  grant_type: 'client_credentials',
  client_assertion: assertion,
  client_assertion_type: type,
}).toString()
const presentedTo = (asked: (name: 'issue') => unknown[]) =>
  (asked('issue') as { presented: object }[]).map(({ presented }) => presented)

test('the token service gets the assertion where a method needs one', async () => {
  const { send, asked } = await gateway({ authenticationMethods: ['client_secret_basic', 'private_key_jwt'] })
  expect((await send('POST', '/oauth/token', form)).status).toBe(200)
  expect(presentedTo(asked)).toMatchObject([{ assertion, credentials: [{ clientId: 'client_a' }] }])
})

test('where no method needs an assertion, it is ignored like any unknown parameter', async () => {
  const { send, asked } = await gateway()
  await send('POST', '/oauth/token', `${form}&client_id=a&client_secret=b`)
  await send('POST', '/oauth/token', form)
  expect(presentedTo(asked)).toEqual([
    { credentials: [{ clientId: 'a', clientSecret: 'b' }] },
    { credentials: [] },
  ])
})

test('an introspection presents either a token or an assertion', async () => {
  const { send } = await gateway({ authenticationMethods: ['private_key_jwt'] })
  const headers = { authorization: 'Bearer abc' }
  const answer = await send('POST', '/oauth/introspect', `token=x&${form}`, headers)
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.text)).toMatchObject({
    error_description: 'Authenticate by one method only: the bearer token or client_assertion.',
  })
})

test('discovery lists the methods that are on, and the algorithms of assertions where they count', async () => {
  const metadata = async (...[changes]: Parameters<typeof gateway>) => {
    const { send } = await gateway(changes)
    const found = JSON.parse((await send('GET', '/.well-known/oauth-authorization-server')).text)
    return Object.fromEntries(Object.entries(found).filter(([name]) => name.includes('_auth_')))
  }
  const secrets = ['client_secret_post', 'client_secret_basic']
  expect(await metadata()).toEqual({
    token_endpoint_auth_methods_supported: secrets,
    introspection_endpoint_auth_methods_supported: secrets,
    revocation_endpoint_auth_methods_supported: secrets,
  })
  const methods = ['private_key_jwt', 'none']
  const algorithms = ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256']
  expect(await metadata({ authenticationMethods: ['private_key_jwt', 'none'] })).toEqual({
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
  })
})
