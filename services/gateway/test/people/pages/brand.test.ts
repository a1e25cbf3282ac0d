import { brandOf } from '@gatehouse/kit/people/brand'
import { expect, test } from 'vitest'
import { ann, browser, policyOf } from '../../../testing/browser.ts'

const brand = brandOf({
  OAUTH2_BRAND_NAME: 'Ann & Co',
  OAUTH2_BRAND_LOGO_URL: 'https://cdn.example:8443/logo.svg?v=2',
  OAUTH2_BRAND_COLOR: '#FFD400',
  OAUTH2_BRAND_TERMS_URL: 'https://example.com/terms',
  OAUTH2_BRAND_SUPPORT_URL: 'https://example.com/help',
})
const stylesheetOf = (text: string) => /<link rel="stylesheet" href="([^"]+)">/.exec(text)?.[1] ?? ''

test('a page has the brand’s name, logo and links, and may load pictures from the logo’s origin alone', async () => {
  const { get } = await browser({ brand })
  const page = await get('/auth/login')
  expect(page.text).toContain('<title>Log in · Ann &amp; Co</title>')
  expect(page.text).toContain('<img src="https://cdn.example:8443/logo.svg?v=2" alt="Ann &amp; Co">')
  expect(page.text).toContain('<a href="https://example.com/terms">Terms of service</a>')
  expect(page.text).toContain('<a href="https://example.com/help">Help</a>')
  expect(page.text).not.toContain('>Privacy<')
  expect(policyOf(page)['img-src']).toEqual(['data:', 'https://cdn.example:8443'])
})

test('the brand’s colour is in the stylesheet, with readable text', async () => {
  const { get } = await browser({ brand })
  const path = stylesheetOf((await get('/auth/login')).text)
  const { status, text, headers } = await get(path)
  expect([status, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
  expect(text).toMatch(/\n:root\{--accent:#\w{6};.*--button:#ffd400;.*--on-button:#000000\}/)
  expect(text).toMatch(/prefers-color-scheme: dark\)\{:root\{--accent:#ffd400;/)
})

test('without a brand there is one stylesheet and no footer', async () => {
  const { get } = await browser()
  const { text, headers } = await get('/auth/login')
  expect(text).not.toContain('<footer>')
  expect(policyOf({ headers, text })['img-src']).toEqual(['data:'])
  expect((await get(stylesheetOf(text))).text).not.toMatch(/:root\{/)
})

test('a question that names the server names it by the brand', async () => {
  const checked = { redirectsUnasked: false }
  const tokens = { checkLogout: async () => checked }
  const { get } = await browser({ brand, openid: true, tokens }, ann)
  expect((await get('/oauth/logout')).text).toContain('Log out of <bdi>Ann &amp; Co</bdi>?')
})
