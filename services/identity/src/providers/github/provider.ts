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
import { toProviderFailure } from '../failures.ts'
import { fetchUntilDeadline, type ProviderDeps } from '../provider-fetch.ts'
import { type ProviderSettings, textOf, titleOf } from '../settings.ts'
import {
  type LoginSecrets,
  ProviderFailure,
  type SocialPerson,
  type SocialProvider,
} from '../social-provider.ts'
import { defineProvider } from '../upstream-provider.ts'
import { addressVariable } from '../variables.ts'

const publicBase = 'https://github.com'
const publicApi = 'https://api.github.com'

/** GitHub: OAuth 2.0, with GitHub's own API to learn who logged in. GitHub Enterprise Server has other addresses. */
export const provider = defineProvider({
  name: 'github',
  title: 'GitHub',
  place: 3,
  reauthenticates: false,
  variables: {
    OAUTH2_GITHUB_BASE_URL: addressVariable(
      'OAUTH2_GITHUB_BASE_URL',
      'GitHub’s website, for example of a GitHub Enterprise Server.',
      publicBase,
    ),
    OAUTH2_GITHUB_API_URL: addressVariable('OAUTH2_GITHUB_API_URL', 'GitHub’s API.', publicApi),
  },
  create(
    client,
    { OAUTH2_GITHUB_BASE_URL: base = publicBase, OAUTH2_GITHUB_API_URL: api = publicApi },
    deps,
  ) {
    return github(client, { base: base.replace(/\/$/, ''), api: api.replace(/\/$/, '') }, deps)
  },
})

function github(
  { clientId, clientSecret, redirectUri }: ProviderSettings,
  { base, api }: { base: string; api: string },
  deps: ProviderDeps,
): SocialProvider {
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

    async person(query, secrets) {
      const { wait = (work) => work() } = deps
      try {
        return await wait(() => personAt(query, secrets))
      } catch (error) {
        throw toProviderFailure(error)
      }
    },
  }

  async function personAt(query: string, { state, codeVerifier }: LoginSecrets): Promise<SocialPerson> {
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
    return { ...personOf(user, emails), login: loginAt(config.serverMetadata().issuer) }
  }
}

// GitHub refuses requests without a user agent.
const headers = new Headers({
  accept: 'application/vnd.github+json',
  'user-agent': 'gatehouse',
  'x-github-api-version': '2022-11-28',
})

function personOf(user: unknown, emails: unknown): Omit<SocialPerson, 'login'> {
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

/** GitHub says nothing of the login itself. */
function loginAt(issuer: string): SocialPerson['login'] {
  return { issuer, authenticatedAt: undefined, acr: undefined, methods: [], session: undefined }
}
