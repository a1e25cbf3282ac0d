import { expect, test } from 'vitest'
import { configuredProviders, type SocialConfig } from '../../src/providers/table.ts'

const asked: string[] = []
const deps = {
  fetch: (async (url: string) => {
    asked.push(url)
    return new Response('{}', { status: 404 })
  }) as typeof fetch,
  timeoutMs: 1_000,
  now: Date.now,
}
const providersOf = (config: Partial<SocialConfig>) =>
  configuredProviders({ OAUTH2_MICROSOFT_TENANT_ID: 'common', ...config }, 'http://LOCALHOST:8080', deps)
const secrets = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }
const microsoft = { OAUTH2_MICROSOFT_CLIENT_ID: 'id', OAUTH2_MICROSOFT_CLIENT_SECRET: 'secret' }

/** The address from which a provider's metadata were requested. */
async function lookedFor(config: Partial<SocialConfig>): Promise<string | undefined> {
  asked.length = 0
  for (const provider of providersOf(config).values())
    await expect(provider.authorizationUrl(secrets, { again: false })).rejects.toThrow()
  return asked[0]
}

test('creates the providers whose id and secret are set, and sends them no request until a login', () => {
  expect([...providersOf({}).keys()]).toEqual([])
  const google = { OAUTH2_GOOGLE_CLIENT_ID: 'id', OAUTH2_GOOGLE_CLIENT_SECRET: 'secret' }
  const github = { OAUTH2_GITHUB_CLIENT_ID: 'id', OAUTH2_GITHUB_CLIENT_SECRET: 'secret' }
  expect([...providersOf({ ...github, ...google, ...microsoft }).keys()]).toEqual([
    'google',
    'microsoft',
    'github',
  ])
  expect(asked).toEqual([])
})

test.each(['GOOGLE', 'MICROSOFT', 'GITHUB'])(
  'refuses to start with half of the credentials of %s',
  (name) => {
    expect(() => providersOf({ [`OAUTH2_${name}_CLIENT_ID`]: 'id' })).toThrow(
      `OAUTH2_${name}_CLIENT_SECRET must be set; OAUTH2_${name}_CLIENT_ID is`,
    )
    expect(() => providersOf({ [`OAUTH2_${name}_CLIENT_SECRET`]: 'hidden' })).toThrow(
      `OAUTH2_${name}_CLIENT_ID must be set; OAUTH2_${name}_CLIENT_SECRET is`,
    )
  },
)

test('uses the providers’ public addresses unless the configuration names others', async () => {
  const google = { OAUTH2_GOOGLE_CLIENT_ID: 'id', OAUTH2_GOOGLE_CLIENT_SECRET: 'secret' }
  const document = '/.well-known/openid-configuration'
  expect(await lookedFor(google)).toBe(`https://accounts.google.com${document}`)
  expect(await lookedFor({ ...google, OAUTH2_GOOGLE_ISSUER: 'http://127.0.0.1:9/' })).toBe(
    `http://127.0.0.1:9${document}`,
  )
  expect(await lookedFor(microsoft)).toBe(`https://login.microsoftonline.com/common/v2.0${document}`)
  const tenant = { OAUTH2_MICROSOFT_TENANT_ID: 'contoso.onmicrosoft.com' }
  expect(await lookedFor({ ...microsoft, ...tenant })).toBe(
    `https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0${document}`,
  )
  const national = { OAUTH2_MICROSOFT_ISSUER: 'https://login.microsoftonline.us/common/v2.0' }
  expect(await lookedFor({ ...microsoft, ...national })).toBe(
    `${national.OAUTH2_MICROSOFT_ISSUER}${document}`,
  )
})

test('sends a normalized redirect URI to GitHub', async () => {
  const github = { OAUTH2_GITHUB_CLIENT_ID: 'id', OAUTH2_GITHUB_CLIENT_SECRET: 'secret' }
  const address = new URL(
    (await providersOf(github).get('github')?.authorizationUrl(secrets, { again: false })) ?? '',
  )
  expect(address.origin + address.pathname).toBe('https://github.com/login/oauth/authorize')
  expect(address.searchParams.get('redirect_uri')).toBe('http://localhost:8080/auth/callback/github')
})
