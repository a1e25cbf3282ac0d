import { enabledGrantTypes } from '@gatehouse/proto/grants'
import { describe, expect, test } from 'vitest'
import { refusing } from '../../testing/browser.ts'
import { client, errorOf, gateway, token } from '../../testing/gateway.ts'

const presented = { credentials: [{ clientId: 'client_a', clientSecret: 'secret' }] }
const inForm = 'client_id=client_a&client_secret=secret'
const all = enabledGrantTypes({ OAUTH2_REFRESH_TOKEN_ENABLED: true, OAUTH2_PASSWORD_GRANT_ENABLED: true })
const both = { grantTypes: all }

test('grants are added only by their switches', () => {
  expect(all).toEqual(['authorization_code', 'client_credentials', 'refresh_token', 'password'])
  expect(
    enabledGrantTypes({ OAUTH2_REFRESH_TOKEN_ENABLED: false, OAUTH2_PASSWORD_GRANT_ENABLED: true }),
  ).toEqual(['authorization_code', 'client_credentials', 'password'])
  expect(
    enabledGrantTypes({ OAUTH2_REFRESH_TOKEN_ENABLED: false, OAUTH2_PASSWORD_GRANT_ENABLED: false }),
  ).toEqual(['authorization_code', 'client_credentials'])
})

describe('the request to the token service', () => {
  test.each<[string, { grantType: string; parameters: object }]>([
    [
      'grant_type=authorization_code&code=c&code_verifier=v&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=x',
      {
        grantType: 'authorization_code',
        parameters: { code: 'c', code_verifier: 'v', redirect_uri: 'https://app.example/cb' },
      },
    ],
    [
      'grant_type=authorization_code',
      {
        grantType: 'authorization_code',
        parameters: {},
      },
    ],
    [
      'grant_type=refresh_token&refresh_token=r&scope=read+write',
      {
        grantType: 'refresh_token',
        parameters: { refresh_token: 'r', scope: 'read write' },
      },
    ],
    [
      'grant_type=password&username=ann&password=a%26b&scope=read&ip_address=6.6.6.6',
      {
        grantType: 'password',
        parameters: { username: 'ann', password: 'a&b', scope: 'read' },
      },
    ],
  ])('%s', async (form, asked) => {
    const { send, calls } = await gateway(both)
    const answer = await send('POST', '/oauth/token', `${form}&${inForm}`)
    expect(answer.status).toBe(200)
    expect(calls).toEqual([
      { name: 'issue', request: { presented, resources: [], ipAddress: '127.0.0.1', ...asked } },
    ])
  })

  test('has a public client’s id and an empty secret', async () => {
    const { send, asked } = await gateway()
    await send('POST', '/oauth/token', 'grant_type=authorization_code&code=c&client_id=client_p')
    expect(asked('issue')).toMatchObject([
      { presented: { credentials: [{ clientId: 'client_p', clientSecret: '' }] } },
    ])
  })

  test('has no credentials if the client sent none', async () => {
    const { send, asked } = await gateway()
    await send('POST', '/oauth/token', 'grant_type=authorization_code&code=c')
    expect(asked('issue')).toMatchObject([{ presented: { credentials: [] } }])
  })
})

describe('the answer', () => {
  const form = `grant_type=authorization_code&code=c&code_verifier=v&${inForm}`
  const answered = { access_token: 'a.b.c', token_type: 'Bearer', expires_in: 600, scope: 'read write' }

  test('has a refresh token only if the token service issued one', async () => {
    const without = await gateway()
    expect(JSON.parse((await without.send('POST', '/oauth/token', form)).text)).toEqual(answered)
    const issue = async () => ({ ...token, refreshToken: 'r' })
    const { send } = await gateway({ tokens: { issue } })
    const answer = await send('POST', '/oauth/token', form)
    expect(JSON.parse(answer.text)).toEqual({ ...answered, refresh_token: 'r' })
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' })
  })

  test('passes on a refusal, with Retry-After', async () => {
    const issue = refusing('rate_limit_exceeded', 'Try again later.', { retryAfter: 77 })
    const { send } = await gateway({ ...both, tokens: { issue } })
    const answer = await send('POST', '/oauth/token', `grant_type=password&username=a&password=b&${inForm}`)
    expect([answer.status, errorOf(answer), answer.headers['retry-after']]).toEqual([
      429,
      'rate_limit_exceeded',
      '77',
    ])
  })
})

test.each([
  ['refresh_token', { OAUTH2_REFRESH_TOKEN_ENABLED: false, OAUTH2_PASSWORD_GRANT_ENABLED: true }],
  ['password', { OAUTH2_REFRESH_TOKEN_ENABLED: true, OAUTH2_PASSWORD_GRANT_ENABLED: false }],
])(
  '%s is unsupported if it is off, before credentials are checked, whatever else is on',
  async (grant, switches) => {
    const { send, calls } = await gateway({ grantTypes: enabledGrantTypes(switches) })
    const answer = await send('POST', '/oauth/token', `grant_type=${grant}`, {
      authorization: 'Basic broken',
    })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'unsupported_grant_type'])
    expect(calls).toEqual([])
  },
)

describe('discovery', () => {
  const documents = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

  test.each(documents)('%s lists the grants that are on', async (path) => {
    const { send } = await gateway({
      ...both,
      authenticationMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    })
    const document = JSON.parse((await send('GET', path)).text)
    expect(document).toMatchObject({
      grant_types_supported: all,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
    })
  })

  test.each(documents)('%s does not list the grants that are off', async (path) => {
    const { send } = await gateway()
    const { text } = await send('GET', path)
    expect(text).not.toMatch(/refresh_token|"password"|"none"/)
    expect(JSON.parse(text).authorization_response_iss_parameter_supported).toBe(true)
  })
})

test('a public client registers without a secret and without its expiry', async () => {
  const { send } = await gateway()
  const confidential = JSON.parse((await send('POST', '/clients/register', {})).text)
  expect(confidential).toMatchObject({ client_secret: 'the secret', client_secret_expires_at: 0 })
  const registerClient = async () => ({
    client: { ...client, tokenEndpointAuthMethod: 'none' },
    clientSecret: undefined,
  })
  const changed = await gateway({ clientRegistry: { registerClient } })
  const answer = await changed.send('POST', '/clients/register', { token_endpoint_auth_method: 'none' })
  const { client_secret: secret, client_secret_expires_at: end, ...rest } = JSON.parse(answer.text)
  expect([answer.status, secret, end]).toEqual([201, undefined, undefined])
  expect(rest).toMatchObject({ token_endpoint_auth_method: 'none', client_id: 'client_a' })
  expect(changed.asked('registerClient')).toMatchObject([{ tokenEndpointAuthMethod: 'none' }])
})
