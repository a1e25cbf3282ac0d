import { Refusal } from '@gatehouse/kit/errors'
import { describe, expect, test } from 'vitest'
import {
  ann,
  authorizePath,
  browser,
  pageErrorOf,
  policyOf,
  questionOf,
  refusing,
} from '../../../testing/browser.ts'
import { nextStep, type pending } from '../../../testing/gateway.ts'

const consentFor = async (changes: Partial<typeof pending>, headers: Record<string, string> = {}) => {
  const beginAuthorization = async () => nextStep('askConsent', changes)
  const { get } = await browser({ tokens: { beginAuthorization } }, ann)
  return get(authorizePath(), headers)
}
const logoUri = 'https://cdn.example:8443/logo.png'

describe('the consent page', () => {
  test('says so if nobody has checked the app', async () => {
    expect((await consentFor({ selfRegistered: true })).text).toContain('Nobody has checked this app.')
    expect((await consentFor({})).text).not.toContain('Nobody has checked')
  })

  test('links to the pages of the app that are https, in a new tab and without a referrer', async () => {
    const { text } = await consentFor({
      clientUri: 'https://acme.example/about',
      policyUri: 'https://acme.example/privacy',
      tosUri: 'http://acme.example/terms',
    })
    const link = (href: string, words: string) =>
      `<a href="${href}" rel="noreferrer" target="_blank"><bdi>${words}</bdi></a>`
    expect(text).toContain(link('https://acme.example/about', 'acme.example'))
    expect(text).toContain(link('https://acme.example/privacy', 'Privacy policy'))
    expect(text).not.toContain('Terms of service')
  })

  test('shows the logo of an app that an administrator made, and may load pictures from there alone', async () => {
    const page = await consentFor({ logoUri })
    expect(page.text).toContain(`<img class="app-logo" src="${logoUri}" alt="">`)
    expect(policyOf(page)['img-src']).toEqual(['data:', 'https://cdn.example:8443'])
  })

  test.each<[string, Partial<typeof pending>]>([
    ['registered itself', { selfRegistered: true, logoUri }],
    ['describes itself', { clientId: 'https://app.example/client.json', logoUri }],
    ['has a logo that is not https', { logoUri: 'http://cdn.example/logo.png' }],
    ['has a logo with a password', { logoUri: 'https://a:b@cdn.example/logo.png' }],
    ['has a logo at a host that a policy could not name', { logoUri: 'https://cdn.example;x/logo.png' }],
    ['has no logo', {}],
  ])('shows the first letter of an app that %s', async (_, changes) => {
    const page = await consentFor({ clientName: 'éclair', ...changes })
    expect(page.text).toContain('<span class="app-logo" aria-hidden="true">É</span>')
    expect(policyOf(page)['img-src']).toEqual(['data:'])
  })

  test('is in the first language of the app’s that the server has, whatever the browser accepts', async () => {
    const german = { 'accept-language': 'de' }
    const page = await consentFor({ uiLocales: 'tlh fr-CA en' }, german)
    expect(page.headers['content-language']).toBe('fr')
    expect((await consentFor({ uiLocales: 'tlh' }, german)).headers['content-language']).toBe('de')
  })
})

describe('an error', () => {
  test.each(['invalid_request', 'invalid_client', 'invalid_scope', 'server_error'] as const)(
    'has no link to the app, which may be anybody’s: %s',
    async (code) => {
      const { get } = await browser({ tokens: { beginAuthorization: refusing(code) } }, ann)
      const page = await get(authorizePath())
      expect([pageErrorOf(page), page.text.includes('app.example')]).toEqual([code, false])
    },
  )

  test('about too many requests says when to come back', async () => {
    const refused = new Refusal('rate_limit_exceeded', undefined, { retryAfter: 42 })
    const { get } = await browser({ tokens: { beginAuthorization: () => Promise.reject(refused) } }, ann)
    const page = await get(authorizePath(), { 'accept-language': 'de' })
    expect([page.status, page.headers['retry-after']]).toEqual([429, '42'])
    expect(page.text).toContain('in 42 Sekunden')
  })

  test('of a session that ended leads on with the app’s request', async () => {
    const identity = { grantConsent: async () => ({ session: undefined }) }
    const { post } = await browser({ identity }, ann)
    const page = await post('/oauth/consent', { question: questionOf(), decision: 'allow' })
    expect(page.text).toMatch(/<a href="\/oauth\/continue\?flow=[^"]+">Continue<\/a>/)
    expect(page.text).toContain('Your session ended while this page was open')
  })
})
