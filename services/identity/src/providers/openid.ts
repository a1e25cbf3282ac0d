import { decodeProtectedHeader } from 'jose/decode/protected_header'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  type ExportedJWKSCache,
  enableNonRepudiationChecks,
  getJwksCache,
  type IDToken,
  type JWK,
  setJwksCache,
} from 'openid-client'
import { clientSecret } from './client-authentication.ts'
import { toProviderFailure } from './failures.ts'
import { fetchUntilDeadline, type ProviderDeps } from './provider-fetch.ts'
import { type ProviderSettings, textOf, titleOf } from './settings.ts'
import {
  type LoginSecrets,
  ProviderFailure,
  type SocialPerson,
  type SocialProvider,
} from './social-provider.ts'

/** An OpenID Connect provider, and this server as its client. */
export type OpenIdSettings = {
  /** The provider's address for openid-client; its metadata are at `metadataAt`. */
  server: URL
  /** The address of its discovery document (OpenID Connect Discovery 1.0 section 4). */
  metadataAt: string
  clientId: string
  clientAuthentication: ClientAuth
  redirectUri: string
  scope: string
  /** May change the callback's query before openid-client checks it. */
  received?(query: URLSearchParams, issuer: string): void
  /**
   * The person of an id_token whose signature, issuer, audience, nonce and times are already checked.
   * @param token.key the key that signed it
   * @throws ProviderFailure when something else about it is wrong
   */
  personOf(token: {
    claims: IDToken
    key: JWK | undefined
    issuer: string
    query: URLSearchParams
  }): SocialPerson
}

/** The address of an issuer's discovery document (OpenID Connect Discovery 1.0 section 4). */
export function metadataAddress(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/**
 * The settings of a provider that does what OpenID Connect says and no more: it is found by its issuer, and `sub` identifies a person
 * for ever.
 */
export function standardSettings(issuer: string, client: ProviderSettings): OpenIdSettings {
  return {
    server: new URL(issuer),
    metadataAt: metadataAddress(issuer),
    clientId: client.clientId,
    clientAuthentication: clientSecret(client.clientSecret),
    redirectUri: client.redirectUri,
    scope: 'openid email profile',
    personOf({ claims }) {
      const name = textOf(claims.name)
      const email = claims.email_verified === true ? textOf(claims.email) : ''
      return { subject: claims.sub, name, displayName: titleOf(name, email), claims }
    },
  }
}

/** In milliseconds: how long a discovery document is used. */
const metadataLifetime = 3_600_000
/** In seconds: for an unknown key, openid-client fetches the keys again only when those it has are this old. */
const settled = 60

/** An OpenID Connect provider. Its metadata and keys are cached for later logins. */
export function openIdProvider(settings: OpenIdSettings, deps: ProviderDeps): SocialProvider {
  const { redirectUri } = settings
  let metadata: Metadata | undefined
  let keys: ExportedJWKSCache | undefined

  async function configure(): Promise<Configuration> {
    const ask = fetchUntilDeadline(deps)
    let text = ''
    const metadataResponse: CustomFetch = async (_, options) => {
      if (metadata && deps.now() < metadata.until) return new Response(metadata.text, { headers: json })
      const response = await ask(settings.metadataAt, options)
      text = await response.clone().text()
      return response
    }
    const config = await discovery(
      settings.server,
      settings.clientId,
      undefined,
      settings.clientAuthentication,
      {
        [customFetch]: metadataResponse,
        execute: [
          // No real provider uses http (RFC 9700), but a stand-in on this machine does.
          ...(settings.metadataAt.startsWith('http:') ? [allowInsecureRequests] : []),
          // Without this, openid-client relies on TLS and does not check the signature of an id_token from the token endpoint.
          enableNonRepudiationChecks,
        ],
      },
    )
    // Cached only here, after discovery has accepted the document.
    if (text !== '') metadata = { text, until: deps.now() + metadataLifetime }
    config[customFetch] = ask
    if (keys)
      setJwksCache(config, { ...keys, uat: Math.min(keys.uat, Math.floor(deps.now() / 1000) - settled) })
    return config
  }

  return {
    async authorizationUrl({ state, nonce, codeVerifier }, again) {
      try {
        const config = await configure()
        return buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: settings.scope,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          // OpenID Connect Core section 3.1.2.1.
          ...(again && { prompt: 'login' }),
        }).href
      } catch (error) {
        throw toProviderFailure(error)
      }
    },

    async person(query, secrets) {
      try {
        const config = await configure()
        const { issuer } = config.serverMetadata()
        const sent = new URLSearchParams(query)
        const address = new URL(redirectUri)
        address.search = query
        settings.received?.(address.searchParams, issuer)
        const tokens = await grant(config, address, secrets)
        keys = getJwksCache(config)
        const claims = tokens.claims()
        if (!claims || !tokens.id_token) throw new ProviderFailure('bad answer', 'the id_token is missing')
        const { kid: keyId } = decodeProtectedHeader(tokens.id_token)
        const key = keys?.jwks.keys.find(({ kid }) => kid === keyId)
        return settings.personOf({ claims, key, issuer, query: sent })
      } catch (error) {
        throw toProviderFailure(error)
      }
    },
  }
}

function grant(config: Configuration, address: URL, { state, nonce, codeVerifier }: LoginSecrets) {
  const checks = {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  }
  return authorizationCodeGrant(config, address, checks)
}

/** A discovery document, unparsed, and the time until which it is used. */
type Metadata = { text: string; until: number }

const json = { 'content-type': 'application/json' }
