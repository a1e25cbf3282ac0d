import { oneFactor, twoFactors } from '@gatehouse/proto/claims'
import { expect, test } from 'vitest'
import {
  openidRequestOf,
  readOpenidRequest,
  refuseUnsupported,
} from '../../src/authorization/openid-request.ts'

const hinted = { userId: 'user-1', clientId: 'client_a' }
const read = (sent: Record<string, string>, formPost = true) =>
  readOpenidRequest(sent, {
    readHint: async (hint) => (hint === 'an ID token' ? hinted : undefined),
    formPost,
  })

/** The parameter claims that asks for the claim acr. */
function acrClaim(acr: object): Record<string, string> {
  return { claims: JSON.stringify({ id_token: { acr } }) }
}

test('a request without parameters of OpenID Connect wants nothing', async () => {
  expect(await read({})).toEqual({ prompt: [] })
  expect(await read({ response_mode: 'query', display: 'popup' })).toEqual({ prompt: [] })
})

test('takes the response mode form_post only where it is on, and no other but query', async () => {
  expect(await read({ response_mode: 'form_post' })).toEqual({ prompt: [], responseMode: 'form_post' })
  expect(await read({ response_mode: '' })).toEqual({ prompt: [] })
  await expect(read({ response_mode: 'form_post' }, false)).rejects.toMatchObject({
    code: 'invalid_request',
    description: 'The response_mode must be query.',
  })
  for (const mode of ['fragment', 'Form_post', 'query form_post', 'constructor'])
    await expect(read({ response_mode: mode })).rejects.toMatchObject({ code: 'invalid_request' })
})

test('reads every parameter', async () => {
  const claims = { id_token: { auth_time: { essential: true } }, userinfo: { name: null } }
  expect(
    await read({
      nonce: 'n',
      prompt: 'login consent login',
      max_age: '0',
      login_hint: 'ann',
      ui_locales: 'fr-CA en',
      id_token_hint: 'an ID token',
      claims: JSON.stringify({ ...claims, other: 1 }),
    }),
  ).toEqual({
    nonce: 'n',
    prompt: ['login', 'consent'],
    maxAge: 0,
    loginHint: 'ann',
    uiLocales: 'fr-CA en',
    expectedUser: 'user-1',
    claims,
  })
})

test('a hint that is too long is cut, and never within a character', async () => {
  const { loginHint = '', uiLocales = '' } = await read({
    login_hint: `${'a'.repeat(199)}😀`,
    ui_locales: `${'b'.repeat(199)}😀`,
  })
  expect([loginHint.length, uiLocales.length]).toEqual([200, 200])
  expect([loginHint.isWellFormed(), uiLocales.isWellFormed()]).toEqual([true, true])
})

test('a client gets no claim that its scope of now does not give, even if it has more scope later', async () => {
  const claims = {
    userinfo: { email: null, name: null },
    id_token: { email: { essential: true }, auth_time: null, acr: { value: oneFactor } },
  }
  const sent = await read({ claims: JSON.stringify(claims) })
  const of = (scope: string) => openidRequestOf(sent, { metadata: {}, scope, claimScopes: [] }).claims
  expect(of('openid profile')).toEqual({
    userinfo: { name: null },
    id_token: { auth_time: null, acr: { value: oneFactor } },
  })
  expect(of('openid email')?.id_token).toEqual(claims.id_token)
})

test('an acr may be wished for, and be demanded if it can be had', async () => {
  const wishes = [
    { values: ['phr'] },
    { essential: true },
    { essential: true, values: ['phr', oneFactor] },
    null,
  ]
  for (const acr of wishes) {
    const claims = { id_token: { acr } }
    expect(await read({ claims: JSON.stringify(claims) })).toMatchObject({ claims })
  }
})

test.each<[string, Record<string, string>, 'required' | 'wanted' | undefined]>([
  ['no acr', {}, undefined],
  ['acr_values with two factors first', { acr_values: `phr ${twoFactors} ${oneFactor}` }, 'wanted'],
  ['acr_values with one factor first', { acr_values: `${oneFactor} ${twoFactors}` }, undefined],
  ['acr_values that nobody knows', { acr_values: 'phr' }, undefined],
  ['a claim that wishes for two', acrClaim({ value: twoFactors }), 'wanted'],
  ['an essential claim of two', acrClaim({ essential: true, value: twoFactors }), 'required'],
  [
    'an essential claim of two among unknown ones',
    acrClaim({ essential: true, values: ['phr', twoFactors] }),
    'required',
  ],
  [
    'an essential claim of either, two first',
    acrClaim({ essential: true, values: [twoFactors, oneFactor] }),
    'wanted',
  ],
  [
    'an essential claim of either, one first',
    acrClaim({ essential: true, values: [oneFactor, twoFactors] }),
    undefined,
  ],
  [
    'an essential claim without values, and acr_values',
    { ...acrClaim({ essential: true }), acr_values: twoFactors },
    'wanted',
  ],
])('%s: what is demanded', async (_, sent, demanded) => {
  expect((await read(sent)).twoFactors).toBe(demanded)
})

test('the requested claim sub names the expected user, and must agree with the hint', async () => {
  const claims = JSON.stringify({ id_token: { sub: { value: 'user-2' } } })
  expect(await read({ claims })).toMatchObject({ expectedUser: 'user-2' })
  await expect(read({ claims, id_token_hint: 'an ID token' })).rejects.toMatchObject({
    code: 'login_required',
  })
})

test.each<[string, Record<string, string>, string]>([
  ['prompt=none with others', { prompt: 'none login' }, 'invalid_request'],
  ['an unknown prompt', { prompt: 'create' }, 'invalid_request'],
  ['a negative max_age', { max_age: '-1' }, 'invalid_request'],
  ['a max_age that is no number', { max_age: '1e3' }, 'invalid_request'],
  ['a long nonce', { nonce: 'n'.repeat(1_001) }, 'invalid_request'],
  ['a hint that is not ours', { id_token_hint: 'x' }, 'invalid_request'],
  ['another response mode', { response_mode: 'fragment' }, 'invalid_request'],
  ['claims that are no JSON', { claims: '{' }, 'invalid_request'],
  ['claims that are a list', { claims: '[]' }, 'invalid_request'],
  ['claims with a list of names', { claims: '{"userinfo":["name"]}' }, 'invalid_request'],
  ['a claim that is a text', { claims: '{"userinfo":{"name":"x"}}' }, 'invalid_request'],
  ['values that are no list', { claims: '{"id_token":{"acr":{"values":"1"}}}' }, 'invalid_request'],
  [
    'an essential acr that cannot be had',
    { claims: '{"id_token":{"acr":{"essential":true,"values":["phr"]}}}' },
    'unmet_authentication_requirements',
  ],
  ['long claims', { claims: `{"a":"${'x'.repeat(4_000)}"}` }, 'invalid_request'],
])('refuses %s', async (_, sent, code) => {
  await expect(read(sent)).rejects.toMatchObject({ code })
})

test.each([
  ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
  ['a request URI', { request_uri: 'https://rp.example/r' }, 'request_uri_not_supported'],
  ['a registration', { registration: '{}' }, 'registration_not_supported'],
])('says of %s that it is not supported', (_, sent, code) => {
  expect(() => refuseUnsupported(sent)).toThrow(expect.objectContaining({ code }))
  expect(() => refuseUnsupported({ ...sent, [Object.keys(sent)[0] ?? '']: '' })).not.toThrow()
})
