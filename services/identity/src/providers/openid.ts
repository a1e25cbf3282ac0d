import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { importJWK } from 'jose/key/import'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  type ClientAuth,
  type Configuration,
  type CryptoKey,
  calculatePKCECodeChallenge,
  customFetch,
  type DPoPOptions,
  discovery,
  type ExportedJWKSCache,
  enableNonRepudiationChecks,
  fetchUserInfo,
  getDPoPHandle,
  getJwksCache,
  type IDToken,
  type JWK,
  setJwksCache,
} from 'openid-client'
import { toProviderFailure } from './failures.ts'
import { createLogoutCheck } from './logout-token.ts'
import { createMetadataCache } from './openid-metadata.ts'
import { fetchUntilDeadline, type ProviderDeps } from './provider-fetch.ts'
import { type ProviderSettings, textOf, titleOf } from './settings.ts'
import {
  type LoginSecrets,
  type LoginWishes,
  ProviderFailure,
  type SocialPerson,
  type SocialProvider,
  type UpstreamLogin,
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
  /**
   * Whether it is used as its metadata offer it: pushed authorization requests (RFC 9126), proofs of possession (RFC 9449), and its
   * userinfo endpoint, whose claims are added to those of the id_token.
   */
  asOffered?: boolean
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
  }): Omit<SocialPerson, 'login'>
}

/** The address of an issuer's discovery document (OpenID Connect Discovery 1.0 section 4). */
export function metadataAddress(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/**
 * The settings of a provider that does what OpenID Connect says and no more: it is found by its issuer, and `sub` identifies a person
 * for ever.
 */
export function standardSettings(
  issuer: string,
  client: Omit<ProviderSettings, 'clientSecret'>,
  clientAuthentication: ClientAuth,
): OpenIdSettings {
  return {
    server: new URL(issuer),
    metadataAt: metadataAddress(issuer),
    clientId: client.clientId,
    clientAuthentication,
    redirectUri: client.redirectUri,
    scope: 'openid email profile',
    personOf({ claims }) {
      const name = textOf(claims.name)
      const email = claims.email_verified === true ? textOf(claims.email) : ''
      return { subject: claims.sub, name, displayName: titleOf(name, email), claims }
    },
  }
}

/** In seconds: for an unknown key, openid-client fetches the keys again only when those it has are this old. */
const settled = 60
/** The algorithm of proofs of possession. */
const proofAlgorithm = 'ES256'

/** An OpenID Connect provider. Its metadata and keys are cached for later logins. */
export function openIdProvider(settings: OpenIdSettings, deps: ProviderDeps): SocialProvider {
  const { redirectUri, asOffered = false } = settings
  const metadata = createMetadataCache(settings.metadataAt, deps.failuresKeptMs ?? 0, deps.now)
  let keys: ExportedJWKSCache | undefined

  async function configure(): Promise<Configuration> {
    const ask = fetchUntilDeadline(deps)
    const config = await discovery(
      settings.server,
      settings.clientId,
      undefined,
      settings.clientAuthentication,
      {
        [customFetch]: metadata.fetch(ask),
        execute: [
          // No real provider uses http (RFC 9700), but a stand-in on this machine does.
          ...(settings.metadataAt.startsWith('http:') ? [allowInsecureRequests] : []),
          // Without this, openid-client relies on TLS and does not check the signature of an id_token from the token endpoint.
          enableNonRepudiationChecks,
        ],
      },
    )
    // Cached only here, after discovery has accepted the document.
    metadata.keep()
    config[customFetch] = ask
    if (keys)
      setJwksCache(config, { ...keys, uat: Math.min(keys.uat, Math.floor(deps.now() / 1000) - settled) })
    return config
  }

  async function proofs(config: Configuration, { proofKey }: LoginSecrets): Promise<DPoPOptions> {
    if (proofKey === undefined) return {}
    const { d: _, ...publicKey } = proofKey
    const pair = {
      privateKey: (await importJWK(proofKey, proofAlgorithm)) as CryptoKey,
      publicKey: (await importJWK(publicKey, proofAlgorithm, { extractable: true })) as CryptoKey,
    }
    return { DPoP: getDPoPHandle(config, pair) }
  }

  const checkLogout = createLogoutCheck(deps.now)

  return {
    ...(asOffered && {
      async takesProofs() {
        try {
          const { dpop_signing_alg_values_supported: offered } = (await configure()).serverMetadata()
          return Array.isArray(offered) && offered.includes(proofAlgorithm)
        } catch (error) {
          throw toProviderFailure(error)
        }
      },

      async endedBy(logoutToken: string) {
        try {
          const { issuer, jwks_uri: keysAt = '' } = (await configure()).serverMetadata()
          const { clientId } = settings
          return await checkLogout(logoutToken, { issuer, clientId, keysAt }, fetchUntilDeadline(deps))
        } catch (error) {
          throw toProviderFailure(error)
        }
      },
    }),

    async authorizationUrl(secrets, wishes) {
      try {
        const config = await configure()
        const { state, nonce, codeVerifier } = secrets
        const parameters = {
          redirect_uri: redirectUri,
          scope: settings.scope,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          ...wished(wishes),
        }
        const options = await proofs(config, secrets)
        if (asOffered && config.serverMetadata().pushed_authorization_request_endpoint !== undefined)
          return (await buildAuthorizationUrlWithPAR(config, parameters, options)).href
        const thumbprint = await options.DPoP?.calculateThumbprint()
        // RFC 9449 section 10: the code is of use only with the key.
        const bound = { ...parameters, ...(thumbprint !== undefined && { dpop_jkt: thumbprint }) }
        return buildAuthorizationUrl(config, bound).href
      } catch (error) {
        throw toProviderFailure(error)
      }
    },

    async person(query, secrets) {
      try {
        const config = await configure()
        const { issuer, userinfo_endpoint: userinfo } = config.serverMetadata()
        const sent = new URLSearchParams(query)
        const address = new URL(redirectUri)
        address.search = query
        settings.received?.(address.searchParams, issuer)
        const options = await proofs(config, secrets)
        const tokens = await grant(config, address, secrets, options)
        keys = getJwksCache(config)
        const token = tokens.claims()
        if (!token || !tokens.id_token) throw new ProviderFailure('bad answer', 'the id_token is missing')
        const { kid: keyId } = decodeProtectedHeader(tokens.id_token)
        const key = keys?.jwks.keys.find(({ kid }) => kid === keyId)
        const more =
          asOffered && userinfo !== undefined
            ? await fetchUserInfo(config, tokens.access_token, token.sub, options)
            : {}
        const person = settings.personOf({ claims: { ...more, ...token }, key, issuer, query: sent })
        return { ...person, login: loginOf(token) }
      } catch (error) {
        throw toProviderFailure(error)
      }
    },
  }
}

/** OpenID Connect Core section 3.1.2.1. */
function wished({ again, maxAge, acrValues, loginHint }: LoginWishes): Record<string, string> {
  return {
    ...(again && { prompt: 'login' }),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
    ...(acrValues !== undefined && { acr_values: acrValues }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
  }
}

function grant(
  config: Configuration,
  address: URL,
  { state, nonce, codeVerifier }: LoginSecrets,
  options: DPoPOptions,
) {
  const checks = {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  }
  return authorizationCodeGrant(config, address, checks, undefined, options)
}

function loginOf({ iss, auth_time, acr, amr, sid }: IDToken): UpstreamLogin {
  const methods = Array.isArray(amr) ? amr.filter((method) => typeof method === 'string') : []
  return {
    issuer: iss,
    authenticatedAt: typeof auth_time === 'number' ? auth_time : undefined,
    acr: textOf(acr) || undefined,
    methods,
    session: textOf(sid) || undefined,
  }
}
