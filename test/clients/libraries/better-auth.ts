import { authorize, browse, type CookieJar, type Site } from '@gatehouse/test/browser/browser-login'
import { betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins'
import { expect, test } from 'vitest'
import { createPerson, type Provider } from '../../e2e/openid/openid-world.ts'

const baseUrl = 'https://app.example'

/** Makes an app of Better Auth with the plugin for providers that it has no code of its own for. */
async function createApp({ system, createClient }: Provider): Promise<Site> {
  const redirectUri = `${baseUrl}/api/auth/callback/gatehouse`
  const { client_id: clientId, client_secret: clientSecret } = await createClient({
    redirect_uris: [redirectUri],
  })
  const discoveryUrl = `${system.baseUrl}/.well-known/openid-configuration`
  const scopes = ['openid', 'profile', 'email']
  const provider = { providerId: 'gatehouse', discoveryUrl, clientId, clientSecret, scopes }
  const app = betterAuth({
    baseURL: baseUrl,
    secret: 'a secret of the app, long enough for it',
    plugins: [genericOAuth({ config: [provider] })],
  })
  return { baseUrl, answer: app.handler }
}

/** Tests Better Auth. */
export function betterAuthOpenid(there: () => Provider): void {
  test('logs a user in, whose name and e-mail address are in the session', async () => {
    const { name, email, jar } = await createPerson(there())
    const app = await createApp(there())
    const cookies: CookieJar = new Map()
    const asked = await browse(app, cookies, '/api/auth/sign-in/social', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: baseUrl },
      body: JSON.stringify({ provider: 'gatehouse', callbackURL: '/' }),
    })
    const { url } = (await asked.json()) as { url: string }
    const returned = await authorize(there().system, jar, new URL(url))
    await browse(app, cookies, returned)
    const session = await (await browse(app, cookies, '/api/auth/get-session')).json()
    expect(session).toMatchObject({ user: { name, email, emailVerified: true } })
  })
}
