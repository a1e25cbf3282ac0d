import { loadConfig, warningsOf } from '@gatehouse/kit/config/load-config'
import { Type } from '@gatehouse/proto/typebox'
import { expect, test } from 'vitest'
import { gatewayConfig } from '../src/config.ts'

const names = [
  ...['OAUTH2_CORS_ORIGINS', 'OAUTH2_BRAND_LOGO_URL', 'OAUTH2_BRAND_TERMS_URL', 'OAUTH2_BRAND_PRIVACY_URL'],
  ...['OAUTH2_BRAND_SUPPORT_URL', 'OAUTH2_OTLP_ENDPOINT'],
] as const
const schema = Type.Object(Object.fromEntries(names.map((name) => [name, gatewayConfig.properties[name]])))
const warnings = (values: Record<string, string>) => warningsOf(schema, loadConfig(schema, values))

test('an origin that no browser sends is warned of, with the form that browsers send', () => {
  const OAUTH2_CORS_ORIGINS =
    'https://App.example https://good.example https://a.example:443 https://ann@b.example'
  expect(warnings({ OAUTH2_CORS_ORIGINS })).toEqual([
    'OAUTH2_CORS_ORIGINS has origins that match no browser: https://App.example (write https://app.example), ' +
      'https://a.example:443 (write https://a.example), https://ann@b.example (write https://b.example)',
  ])
  for (const right of ['*', 'https://app.example http://localhost:3000', 'http://[::1]:3000'])
    expect(warnings({ OAUTH2_CORS_ORIGINS: right })).toEqual([])
})

test.each(names.slice(1))('%s must be readable', (name) => {
  expect(() => warnings({ [name]: 'https://a.example:99999/x' })).toThrow(
    `${name} must be a URL with a valid host and a port from 1 to 65535`,
  )
  expect(warnings({ [name]: 'https://a.example/x' })).toEqual([])
})
