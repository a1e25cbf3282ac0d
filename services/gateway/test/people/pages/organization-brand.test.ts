import { contrastOf, readableContrast } from '@gatehouse/kit/people/contrast'
import { describe, expect, test } from 'vitest'
import { ann, authorization, browser, policyOf } from '../../../testing/browser.ts'
import { nextStep, pending } from '../../../testing/gateway.ts'

const organization = {
  ...{ organizationId: 'org_1', slug: 'acme', name: 'Acme', color: '#ffd400' },
  logoUri: 'https://cdn.example:8443/acme.svg?v=2',
}

/** The login page of an authorization request. */
async function login(changes: Partial<typeof organization> | null = {}, organizations = true) {
  const named = changes === null ? undefined : { ...organization, ...changes }
  const getAuthorization = async () => ({ authorization: { ...pending, organization: named } })
  const gate = await browser({ organizations, tokens: { getAuthorization } })
  const returnTo = encodeURIComponent(`/oauth/continue?flow=${pending.flowId}`)
  return { ...gate, page: await gate.get(`/auth/login?return_to=${returnTo}`) }
}

describe('the login page for an organization', () => {
  test('has its colour and its logo, and may load pictures from that origin alone', async () => {
    const { page } = await login()
    expect(page.text).toContain('<link rel="stylesheet" href="/assets/colors/ffd400.css">')
    expect(page.text).toContain('src="https://cdn.example:8443/acme.svg?v=2" alt=""')
    expect(policyOf(page)['img-src']).toEqual(['data:', 'https://cdn.example:8443'])
    expect(policyOf(page)['style-src']).toEqual(["'self'"])
  })

  test('is that of the server without one, and has nothing that is no colour or no https address', async () => {
    const odd = { color: '#fff;}', logoUri: 'http://cdn.example/acme.svg' }
    for (const changes of [null, odd]) {
      const { page } = await login(changes)
      expect(page.text).not.toMatch(/colors\/|organization-logo/)
      expect(policyOf(page)['img-src']).toEqual(['data:'])
    }
  })

  test.each(['cdn.example;script-src', 'cdn.example,x', '*', "'self'", 'cdn"x.example'])(
    'has no logo of the host %s, which would write into the policy',
    async (host) => {
      const { page } = await login({ logoUri: `https://${host}/acme.svg` })
      expect(page.text).not.toContain('organization-logo')
      expect(policyOf(page)).toEqual(policyOf((await login(null)).page))
    },
  )
})

test('the consent page has them too', async () => {
  const beginAuthorization = async () => nextStep('askConsent', { organization })
  const { get } = await browser({ organizations: true, tokens: { beginAuthorization } }, ann)
  const page = await get(`/oauth/authorize?${new URLSearchParams(authorization)}`)
  expect(page.text).toContain('href="/assets/colors/ffd400.css"')
  expect(policyOf(page)['img-src']).toContain('https://cdn.example:8443')
})

describe('the colour of an organization', () => {
  const surfaces = { light: ['#ffffff', '#f4f5f7'], dark: ['#171c23', '#0f1318'] }

  test.each(['000000', 'ffffff', 'ffd400', '0b5cad', '808080', 'ff0000', '00ff00', '7f7f7f', '777777'])(
    '%s is readable in light and dark, as text and behind it',
    async (color) => {
      const { get } = await browser({ organizations: true })
      const { status, headers, text } = await get(`/assets/colors/${color}.css`)
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': 'text/css; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
      })
      const rules = text.split('@media').map((rule) => ({
        accent: /--accent:(#\w{6})/.exec(rule)?.[1] ?? '',
        strong: /--accent-strong:(#\w{6})/.exec(rule)?.[1] ?? '',
        button: /--button:(#\w{6})/.exec(rule)?.[1] ?? '',
        onButton: /--on-button:(#\w{6})/.exec(rule)?.[1] ?? '',
      }))
      expect(rules).toHaveLength(2)
      for (const [index, backgrounds] of Object.values(surfaces).entries())
        for (const background of backgrounds)
          for (const text of [rules[index]?.accent, rules[index]?.strong])
            expect(contrastOf(text ?? '', background)).toBeGreaterThanOrEqual(readableContrast)
      for (const { button, onButton } of rules)
        expect(contrastOf(button, onButton)).toBeGreaterThanOrEqual(readableContrast)
    },
  )

  test.each(['fff.css', 'FFD400.css', 'ffd400', 'ffd400.css.css', 'gggggg.css', '%2e%2e', 'ffd400;}.css'])(
    '%s is none',
    async (file) => {
      const { get } = await browser({ organizations: true })
      expect((await get(`/assets/colors/${file}`)).status).toBe(404)
    },
  )

  test('is not served where organizations are off', async () => {
    const { get } = await browser()
    expect((await get('/assets/colors/ffd400.css')).status).toBe(404)
  })
})
