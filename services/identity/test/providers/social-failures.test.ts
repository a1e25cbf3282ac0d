import { standInClient } from '@gatehouse/test/servers/social-stand-in'
import { describe, expect, test } from 'vitest'
import { digestOf } from '../../src/basics/secret.ts'
import { userOf, useSocialLogins } from './social.ts'

const social = useSocialLogins(1_000)
const everyProvider = ['google', 'microsoft', 'github'] as const

describe.each(everyProvider)('a login through %s', (provider) => {
  test('reports a denial as denied', async () => {
    const begun = await social.begin(provider)
    const query = await social.comeBack(begun, 'deny')
    expect(query).toContain('error=access_denied')
    expect(await social.finish(begun, query)).toEqual({ outcome: 'denied', returnTo: '/account' })
    expect(await social.finish(begun, query)).toEqual({ outcome: 'unknown login', returnTo: undefined })
  })

  test.each([
    ['temporarily_unavailable', 'unreachable'],
    ['server_error', 'unreachable'],
    ['unauthorized_client', 'bad answer'],
    ['<script>', 'bad answer'],
  ])('that comes back with the error %s is reported as %s', async (error, outcome) => {
    const begun = await social.begin(provider)
    const query = new URLSearchParams(await social.comeBack(begun, 'deny'))
    query.set('error', error)
    query.set('error_description', 'words of somebody')
    expect(await social.finish(begun, query.toString())).toEqual({ outcome, returnTo: '/account' })
  })

  test('accepts one callback only: one of many at once, and no replay', async () => {
    const begun = await social.begin(provider)
    const query = await social.comeBack(begun)
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => social.finish(begun, query)))
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
      'right',
      ...Array(4).fill('unknown login'),
    ])
    expect(await social.finish(begun, query)).toEqual({ outcome: 'unknown login', returnTo: undefined })
  })

  test('is bound to its browser: a callback without its secret is refused and does not use the login up', async () => {
    const [begun, other] = [await social.begin(provider), await social.begin(provider)]
    const query = await social.comeBack(begun)
    const unknown = { outcome: 'unknown login', returnTo: undefined }
    for (const browserSecrets of [
      [],
      [''],
      [other.browserSecret],
      [digestOf(begun.browserSecret).toString('base64url')],
    ])
      expect(await social.finish(begun, query, social.deps(), { browserSecrets })).toEqual(unknown)
    const browserSecrets = [other.browserSecret, begun.browserSecret]
    expect(await social.finish(begun, query, social.deps(), { browserSecrets })).toMatchObject({
      outcome: 'right',
    })
  })

  test('refuses a callback with another state, two states or none', async () => {
    const begun = await social.begin(provider)
    const query = await social.comeBack(begun)
    const state = new URLSearchParams(query).get('state')
    for (const bad of [
      '',
      'state=',
      `state=${'a'.repeat(43)}`,
      `${query}&state=${state}`,
      query.replace('state', 'State'),
    ])
      expect(await social.finish(begun, bad)).toMatchObject({ outcome: 'unknown login' })
    expect(await social.finish(begun, query)).toMatchObject({ outcome: 'right' })
  })

  test('expires after ten minutes', async () => {
    const begun = await social.begin(provider)
    const query = await social.comeBack(begun)
    const state = digestOf(new URLSearchParams(query).get('state') ?? '')
    const [row] = await social.query(
      'select extract(epoch from expires_at - now())::int as left from identity.social_logins where state_digest = $1',
      [state],
    )
    expect(row?.left).toBeGreaterThan(500)
    expect(row?.left).toBeLessThanOrEqual(600)
    await social.query('update identity.social_logins set expires_at = now() where state_digest = $1', [
      state,
    ])
    expect(await social.finish(begun, query)).toEqual({ outcome: 'unknown login', returnTo: undefined })
  })

  test('is refused and ended when it comes back from another provider', async () => {
    const other = provider === 'google' ? 'github' : 'google'
    const begun = await social.begin(other)
    const query = await social.comeBack(begun)
    expect(await social.finish({ ...begun, provider }, query)).toMatchObject({ outcome: 'unknown login' })
    expect(await social.finish(begun, query)).toMatchObject({ outcome: 'unknown login' })
  })

  test('with the `iss` of another server is refused before the code is sent anywhere (RFC 9207)', async () => {
    const begun = await social.begin(provider)
    const query = new URLSearchParams(await social.comeBack(begun))
    query.set('iss', 'https://evil.example')
    const standIn = social.standIns()[provider]
    const before = standIn.requests.length
    expect(await social.finish(begun, query.toString())).toEqual({
      outcome: 'bad answer',
      returnTo: '/account',
    })
    const posts = standIn.requests.slice(before).filter(({ line }) => line.startsWith('POST'))
    // Microsoft's tenant is known only from the token, so there the code is sent.
    expect(posts).toHaveLength(provider === 'microsoft' ? 1 : 0)
  })

  test.each(['code', 'PKCE verifier'])('with a wrong %s is refused by the provider', async (what) => {
    const begun = await social.begin(provider)
    let query = await social.comeBack(begun)
    if (what === 'code') query = query.replace(/code=[^&]+/, 'code=wrong')
    else await social.query("update identity.social_logins set code_verifier = repeat('a', 43)")
    expect(await social.finish(begun, query)).toEqual({ outcome: 'bad answer', returnTo: '/account' })
  })

  test.each([
    ['is down', 'down'],
    ['does not answer in time', 'slow'],
    ['answers 503', 503],
    ['answers 429', 429],
  ] as const)('reports in time that the provider %s, and works when it is back', async (_, trouble) => {
    const standIn = social.standIns()[provider]
    const of = social.deps()
    const begun = await social.begin(provider, of)
    const query = await social.comeBack(begun)
    standIn.trouble = trouble
    expect(await social.finish(begun, query, of)).toEqual({ outcome: 'unreachable', returnTo: '/account' })
    standIn.trouble = 'none'
    expect(await social.logIn(provider, of)).toMatchObject({ outcome: 'right' })
  })

  test('fails while the provider answers nonsense', async () => {
    const standIn = social.standIns()[provider]
    const begun = await social.begin(provider)
    const query = await social.comeBack(begun)
    standIn.trouble = 200
    expect(await social.finish(begun, query)).toMatchObject({ outcome: 'bad answer' })
  })
})

describe('GitHub’s API', () => {
  test.each([
    ['no id', { id: undefined }],
    ['an id that is not a number', { id: '583231' }],
    ['no login', { login: null }],
  ])('is refused with %s', async (_, changes) => {
    const { github } = social.standIns()
    const person = { ...github.person }
    Object.assign(github.person, changes)
    expect(await social.logIn('github')).toMatchObject({ outcome: 'bad answer' })
    github.person = person
  })

  test('may omit the e-mail address', async () => {
    const { github } = social.standIns()
    Object.assign(github, { trouble: 404, troubledPath: '/user/emails' })
    const { id } = userOf(await social.logIn('github'))
    const accounts = 'select display_name from identity.social_accounts where user_id = $1'
    expect(await social.query(accounts, [id])).toEqual([{ display_name: 'octocat' }])
  })

  test('is reported as unreachable when it does not answer in time', async () => {
    Object.assign(social.standIns().github, { trouble: 'slow', troubledPath: '/user' })
    expect(await social.logIn('github')).toMatchObject({ outcome: 'unreachable' })
  })
})

test('writes no secret, code or token into the log', async () => {
  const { google, github } = social.standIns()
  for (const provider of everyProvider) {
    const begun = await social.begin(provider)
    const query = await social.comeBack(begun)
    await social.finish(begun, query)
    google.tamper = (claims) => ({ ...claims, aud: 'somebody else' })
  }
  const text = JSON.stringify(social.lines)
  expect(social.lines.length).toBeGreaterThan(20)
  const asked = [...google.requests, ...github.requests].flatMap(({ parameters }) =>
    ['code', 'state', 'nonce', 'code_verifier', 'client_secret'].flatMap((name) => parameters.getAll(name)),
  )
  for (const secret of [...asked, ...github.tokens, standInClient.clientSecret]) {
    if (secret.length > 8) expect(text).not.toContain(secret)
  }
  expect(text).not.toMatch(/eyJ|words of somebody|<script>/)
})
