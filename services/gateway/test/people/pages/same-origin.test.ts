import { beforeAll, describe, expect, test } from 'vitest'
import { browser, pageErrorOf } from '../../../testing/browser.ts'
import { errorOf, gateway, issuer } from '../../../testing/gateway.ts'

/** Endpoints for programs, which send their own credentials: cookies are not accepted here. */
const forPrograms = [
  '/oauth/token',
  '/oauth/introspect',
  '/oauth/revoke',
  '/clients/register',
  '/events/ingest',
]

let forms: string[]

beforeAll(async () => {
  const { routes } = await gateway()
  forms = routes
    .filter(({ method }) => ![method].flat().every((one) => ['GET', 'HEAD', 'OPTIONS'].includes(one)))
    .map(({ url }) => url)
    // admin-guard.test.ts tests the forms for administrators.
    .filter((url) => !forPrograms.includes(url) && !url.startsWith('/admin/'))
})

test('the list has all forms of the pages', () => {
  expect(forms.sort()).toEqual([
    '/account/address',
    '/account/apps/withdraw',
    '/account/authenticator-app',
    '/account/data',
    '/account/deletion',
    '/account/details',
    '/account/new-recovery-codes',
    '/account/passkeys/:id',
    '/account/password',
    '/account/recovery-codes',
    '/account/sessions/end',
    '/auth/confirm-address',
    '/auth/forgot',
    '/auth/login',
    '/auth/logout',
    '/auth/passkey',
    '/auth/passkey/options',
    '/auth/reset',
    '/auth/second-factor',
    '/auth/second-factor/app',
    '/auth/second-factor/passkey',
    '/auth/signup',
    '/auth/signup/complete',
    '/oauth/consent',
  ])
})

const own = { origin: issuer, 'sec-fetch-site': 'same-origin' }

describe.each<[string, Record<string, string>]>([
  ['cross-site', { ...own, 'sec-fetch-site': 'cross-site' }],
  ['a sibling domain', { ...own, 'sec-fetch-site': 'same-site' }],
  ['a value that no browser sends', { ...own, 'sec-fetch-site': 'SAME-ORIGIN, none' }],
  ['another origin', { ...own, origin: 'https://evil.example' }],
  ['another origin alone', { origin: 'https://evil.example' }],
  ['the origin null, as in a sandboxed frame', { ...own, origin: 'null' }],
  ['our host with another port', { origin: `${issuer}:8443` }],
  ['our host without TLS', { origin: issuer.replace('https', 'http') }],
  ['a host that begins like ours', { origin: `${issuer}.evil.example` }],
  ['a subdomain of ours', { origin: issuer.replace('//', '//app.') }],
  ['two origins', { origin: `${issuer}, ${issuer}` }],
  ['an empty origin', { origin: '' }],
  ['cross-site, without an Origin header', { 'sec-fetch-site': 'cross-site' }],
])('a form whose headers name %s', (_, headers) => {
  test('is refused everywhere, and no service is called', async () => {
    const { send, calls } = await gateway()
    for (const url of forms) {
      const answer = await send('POST', url, 'username=ann&password=secret', headers)
      expect([url, answer.status, errorOf(answer)]).toEqual([url, 403, 'access_denied'])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(calls).toEqual([])
  })
})

test.each<[string, Record<string, string>]>([
  ['our own page', own],
  ['the address bar', { 'sec-fetch-site': 'none' }],
  ['our own page in a browser that sends the origin alone', { origin: issuer }],
  ['a program', {}],
])('a form from %s is read', async (_, headers) => {
  const { send } = await gateway()
  for (const url of forms) {
    const answer = await send('POST', url, 'username=ann&password=secret', headers)
    expect([url, answer.status]).not.toEqual([url, 403])
  }
})

test('the page of a refused form names the right address', async () => {
  const { post } = await browser()
  const answer = await post('/auth/logout', {}, { origin: 'http://127.0.0.1:8080' })
  expect(pageErrorOf(answer)).toBe('access_denied')
  expect(answer.text).toContain(issuer)
})
