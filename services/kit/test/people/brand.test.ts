import { Type } from '@gatehouse/proto/typebox'
import { brandVariables } from '@gatehouse/proto/variables'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { brandOf } from '../../src/people/brand.ts'

const read = (environment: Record<string, string>) =>
  brandOf(loadConfig(Type.Object(brandVariables), environment))

test('without variables, the brand is Gatehouse', () => {
  expect(read({})).toEqual({ name: 'Gatehouse' })
})

test('the variables are the brand', () => {
  expect(
    read({
      OAUTH2_BRAND_NAME: 'Ärger, Söhne & 東京',
      OAUTH2_BRAND_LOGO_URL: 'https://cdn.example.com:8443/logo.svg?v=2',
      OAUTH2_BRAND_COLOR: '#FFD400',
      OAUTH2_BRAND_TERMS_URL: 'https://example.com/terms',
      OAUTH2_BRAND_PRIVACY_URL: 'https://example.com/privacy',
      OAUTH2_BRAND_SUPPORT_URL: 'https://example.com',
    }),
  ).toEqual({
    name: 'Ärger, Söhne & 東京',
    logoUrl: 'https://cdn.example.com:8443/logo.svg?v=2',
    color: '#ffd400',
    termsUrl: 'https://example.com/terms',
    privacyUrl: 'https://example.com/privacy',
    supportUrl: 'https://example.com/',
  })
})

test.each([
  ['OAUTH2_BRAND_NAME', 'a "quoted" name'],
  ['OAUTH2_BRAND_NAME', 'x'.repeat(61)],
  ['OAUTH2_BRAND_NAME', '\u200b'],
  ['OAUTH2_BRAND_NAME', 'two\nlines'],
  ['OAUTH2_BRAND_LOGO_URL', 'http://cdn.example.com/logo.png'],
  ['OAUTH2_BRAND_LOGO_URL', 'https://cdn.example.com;script-src/logo.png'],
  ['OAUTH2_BRAND_LOGO_URL', 'https://ann@cdn.example.com/logo.png'],
  ['OAUTH2_BRAND_LOGO_URL', 'https://cdn.example.com:99999/logo.png'],
  ['OAUTH2_BRAND_LOGO_URL', 'https://*/logo.png'],
  ['OAUTH2_BRAND_COLOR', 'blue'],
  ['OAUTH2_BRAND_COLOR', '#0b5cad;}'],
  ['OAUTH2_BRAND_TERMS_URL', 'javascript:alert(1)'],
  ['OAUTH2_BRAND_SUPPORT_URL', 'mailto:help@example.com'],
])('%s must not be %j', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name)
})
