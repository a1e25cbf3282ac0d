import { Auth } from '@auth/core'
import { authorize, browse, type CookieJar, type Site, submit } from '@gatehouse/test/browser/browser-login'
import { expect, test } from 'vitest'
import { createPerson, type Provider } from '../../e2e/openid/openid-world.ts'

const baseUrl = 'https://app.example'

/** Makes an app of Auth.js with a generic OpenID provider. */
async function createApp({ system, createClient }: Provider, userClaims: boolean): Promise<Site> {
  const redirectUri = `${baseUrl}/auth/callback/gatehouse`
  const { client_id: clientId, client_secret: clientSecret } = await createClient({
    redirect_uris: [redirectUri],
    id_token_user_claims: userClaims,
  })
  const gatehouse = { id: 'gatehouse', name: 'Gatehouse', type: 'oidc', issuer: system.baseUrl } as const
  // By default it reads the name and the e-mail address from the ID token.
  const provider = { ...gatehouse, clientId, clientSecret, ...(!userClaims && { idToken: false }) }
  const config = { providers: [provider], secret: 'a secret of the app', trustHost: true, basePath: '/auth' }
  return { baseUrl, answer: (request) => Auth(request, config) }
}

/** Tests Auth.js (@auth/core) as an app uses it through its framework. */
export function authJs(there: () => Provider): void {
  test.each([
    ['the ID token, its default', true],
    ['userinfo', false],
  ])('logs a user in, whose name and e-mail address it has from %s', async (_, userClaims) => {
    const { name, email, jar } = await createPerson(there())
    const app = await createApp(there(), userClaims)
    const cookies: CookieJar = new Map()
    const { csrfToken } = await (await browse(app, cookies, '/auth/csrf')).json()
    const leaving = await submit(app, cookies, '/auth/signin/gatehouse', { csrfToken })
    const returned = await authorize(there().system, jar, new URL(leaving.headers.get('location') ?? ''))
    await browse(app, cookies, returned)
    const session = await (await browse(app, cookies, '/auth/session')).json()
    expect(session).toMatchObject({ user: { name, email } })
  })
}
