import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  fetchProtectedResource,
} from 'openid-client'
import { toProviderFailure } from './failures.ts'
import { fetchUntilDeadline, type ProviderDeps } from './provider-fetch.ts'
import { type ProviderSettings, textOf, titleOf } from './settings.ts'
import { ProviderFailure, type SocialProvider } from './social-provider.ts'

/** The addresses of GitHub's website and API; GitHub Enterprise Server has its own. */
export type GitHubSettings = Omit<ProviderSettings, 'issuer'> & {
  baseUrl: string | undefined
  apiUrl: string | undefined
}

/** GitHub: OAuth 2.0, with GitHub's own API to learn who logged in. */
export function github(settings: GitHubSettings, deps: ProviderDeps): SocialProvider {
  const { clientId, clientSecret, redirectUri } = settings
  const base = (settings.baseUrl ?? 'https://github.com').replace(/\/$/, '')
  const api = (settings.apiUrl ?? 'https://api.github.com').replace(/\/$/, '')

  function configure(): Configuration {
    const server = {
      issuer: `${base}/login/oauth`,
      authorization_endpoint: `${base}/login/oauth/authorize`,
      token_endpoint: `${base}/login/oauth/access_token`,
    }
    const config = new Configuration(server, clientId, undefined, ClientSecretPost(clientSecret))
    if (base.startsWith('http:') || api.startsWith('http:')) allowInsecureRequests(config)
    config[customFetch] = fetchUntilDeadline(deps)
    return config
  }

  return {
    async authorizationUrl({ state, codeVerifier }) {
      return buildAuthorizationUrl(configure(), {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }).href
    },

    async person(query, { state, codeVerifier }) {
      try {
        const config = configure()
        const address = new URL(redirectUri)
        address.search = query
        const checks = { expectedState: state, pkceCodeVerifier: codeVerifier }
        const { access_token: token } = await authorizationCodeGrant(config, address, checks)
        const ask = async (path: string): Promise<unknown> => {
          const response = await fetchProtectedResource(
            config,
            token,
            new URL(`${api}${path}`),
            'GET',
            null,
            headers,
          )
          return response.status === 200 ? response.json() : undefined
        }
        const [user, emails] = await Promise.all([ask('/user'), ask('/user/emails')])
        return personOf(user, emails)
      } catch (error) {
        throw toProviderFailure(error)
      }
    },
  }
}

// GitHub refuses requests without a user agent.
const headers = new Headers({
  accept: 'application/vnd.github+json',
  'user-agent': 'gatehouse',
  'x-github-api-version': '2022-11-28',
})

function personOf(user: unknown, emails: unknown) {
  const { id, login, name, avatar_url: picture } = (user ?? {}) as Record<string, unknown>
  // A GitHub login can pass to another person; an id cannot.
  if (!Number.isSafeInteger(id) || typeof login !== 'string')
    throw new ProviderFailure('bad answer', 'the API’s answer has no valid id or login')
  const primary = Array.isArray(emails)
    ? emails.find((one) => one?.primary === true && one.verified === true)
    : undefined
  return {
    subject: String(id),
    name: login,
    displayName: titleOf(textOf(name) || login, textOf(primary?.email)),
    claims: { name, picture, email: primary?.email, email_verified: primary !== undefined },
  }
}
