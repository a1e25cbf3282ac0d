import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { importJWK } from 'jose/key/import'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  type ClientAuth,
  type Configuration,
  type CryptoKey,
  calculatePKCECodeChallenge,
  type DPoPOptions,
  fetchUserInfo,
  getDPoPHandle,
  type IDToken,
  type JWK,
} from 'openid-client'
import { toProviderFailure } from './failures.ts'
import { createLogoutCheck } from './logout-token.ts'
import {
  createOpenIdClient,
  longestClaims,
  type OpenIdClientSettings,
  type OpenIdStep,
} from './openid-steps.ts'
import type { ProviderDeps } from './provider-fetch.ts'
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
export type OpenIdSettings = OpenIdClientSettings & {
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

/** The algorithm of proofs of possession. */
const proofAlgorithm = 'ES256'

/** An OpenID Connect provider. Its metadata and keys are cached for later logins. */
export function openIdProvider(settings: OpenIdSettings, deps: ProviderDeps): SocialProvider {
  const { redirectUri, asOffered = false } = settings
  const client = createOpenIdClient(settings, deps)

  async function proofs(config: Configuration, { proofKey }: LoginSecrets): Promise<DPoPOptions> {
    if (proofKey === undefined) return {}
    const { d: _, ...publicKey } = proofKey
    const pair = {
      privateKey: (await importJWK(proofKey, proofAlgorithm)) as CryptoKey,
      publicKey: (await importJWK(publicKey, proofAlgorithm, { extractable: true })) as CryptoKey,
    }
    return { DPoP: getDPoPHandle(config, pair) }
  }

  const checkLogout = createLogoutCheck(deps.now, deps.failuresKeptMs, client.wait, client.keptKeys)

  return {
    ...(asOffered && {
      async takesProofs() {
        const { metadata } = await client.step()
        return metadata.dpop_signing_alg_values_supported?.includes(proofAlgorithm) === true
      },

      async endedBy(logoutToken: string) {
        const { metadata, ask } = await client.step()
        const { issuer = '', jwks_uri: keysAt = '' } = metadata
        try {
          return await checkLogout(logoutToken, { issuer, clientId: settings.clientId, keysAt }, ask)
        } catch (error) {
          throw toProviderFailure(error)
        }
      },
    }),

    async authorizationUrl(secrets, wishes) {
      try {
        const { config, metadata } = await client.step().then(client.configured)
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
        if (asOffered && metadata.pushed_authorization_request_endpoint !== undefined)
          return (await client.wait(() => buildAuthorizationUrlWithPAR(config, parameters, options))).href
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
        const step = await client.step()
        return await client.wait(() => personAt(step, query, secrets))
      } catch (error) {
        throw toProviderFailure(error)
      }
    },
  }

  async function personAt(step: OpenIdStep, query: string, secrets: LoginSecrets): Promise<SocialPerson> {
    const { config, metadata } = await client.configured(step)
    const { issuer = '', userinfo_endpoint: userinfo } = metadata
    const sent = new URLSearchParams(query)
    const address = new URL(redirectUri)
    address.search = query
    settings.received?.(address.searchParams, issuer)
    const options = await proofs(config, secrets)
    const tokens = await grant(config, address, secrets, options)
    const keys = client.keepKeys(config)
    const token = tokens.claims()
    if (!token || !tokens.id_token) throw new ProviderFailure('bad answer', 'the id_token is missing')
    if (tokens.id_token.length > longestClaims)
      throw new ProviderFailure('bad answer', `the id_token has more than ${longestClaims} bytes`)
    const { kid: keyId } = decodeProtectedHeader(tokens.id_token)
    const key = keys?.find(({ kid }) => kid === keyId)
    const more =
      asOffered && userinfo !== undefined
        ? await fetchUserInfo(config, tokens.access_token, token.sub, options)
        : {}
    const person = settings.personOf({ claims: withMore(token, more), key, issuer, query: sent })
    return { ...person, login: loginOf(token) }
  }
}

/**
 * The claims of an id_token with those of userinfo. An address and whether it is verified come from one of them: one may have another
 * address than the other.
 */
function withMore(token: IDToken, more: Readonly<Record<string, unknown>>): IDToken {
  const isWhole = token.email !== undefined && token.email_verified !== undefined
  const [one, other] = isWhole || more.email === undefined ? [token, more] : [more, token]
  const { email: _, email_verified: __, ...rest } = other
  const claims = one === token ? { ...rest, ...token } : { ...more, ...rest }
  return claims as IDToken
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
