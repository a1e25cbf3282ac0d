import {
  allowInsecureRequests,
  type ClientAuth,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  type ExportedJWKSCache,
  enableNonRepudiationChecks,
  getJwksCache,
  type JWK,
  setJwksCache,
} from 'openid-client'
import { longestMetadata, type OpenIdMetadata } from './metadata-fields.ts'
import { createMetadataCache } from './openid-metadata.ts'
import { fetchUntilDeadline, type ProviderDeps } from './provider-fetch.ts'
import { longestKeys, type ReadKeys, readKeys } from './provider-keys.ts'
import type { WaitForProvider } from './requests-under-way.ts'

/** Where a provider is, and this server's credentials there. */
export type OpenIdClientSettings = {
  /** The provider's address for openid-client; its metadata are at `metadataAt`. */
  server: URL
  /** The address of its discovery document (OpenID Connect Discovery 1.0 section 4). */
  metadataAt: string
  clientId: string
  clientAuthentication: ClientAuth
}

/** The most claims that a provider may send in an id_token or at its userinfo endpoint, in bytes. */
export const longestClaims = 65_536

/** In seconds: for an unknown key, openid-client fetches the keys again only when those it has are this old. */
const settled = 60

/** A step at a provider, with one deadline for all of its requests. */
export type OpenIdStep = { metadata: OpenIdMetadata; ask: CustomFetch }

/** This server as the client of a provider. It keeps the provider's metadata and keys for later steps. */
export type OpenIdClient = {
  /** Limits how many steps wait for the provider. */
  wait: WaitForProvider
  /** Begins a step. @throws ProviderFailure where the metadata cannot be read */
  step(): Promise<OpenIdStep>
  /** Gives openid-client what it needs for a step. It asks for nothing. */
  configured(step: OpenIdStep): Promise<OpenIdStep & { config: Configuration }>
  /** Keeps the keys that openid-client has read. @returns them */
  keepKeys(config: Configuration): readonly JWK[] | undefined
  /** The keys that it keeps; undefined before the first login. */
  keptKeys(): ReadKeys | undefined
}

/** Creates the client of a provider. */
export function createOpenIdClient(settings: OpenIdClientSettings, deps: ProviderDeps): OpenIdClient {
  const { wait = (work) => work() } = deps
  let keys: ExportedJWKSCache | undefined

  const configure = (metadata: OpenIdMetadata) =>
    discovery(settings.server, settings.clientId, undefined, settings.clientAuthentication, {
      // It checks the issuer, and knows that of Microsoft. Without the limits of what it gets here, each step would copy all that a
      // provider likes to send.
      [customFetch]: async () => Response.json(metadata),
      execute: [
        // No real provider uses http (RFC 9700), but a stand-in on this machine does.
        ...(settings.metadataAt.startsWith('http:') ? [allowInsecureRequests] : []),
        // Without this, openid-client relies on TLS and does not check the signature of an id_token from the token endpoint.
        enableNonRepudiationChecks,
      ],
    })
  const cache = createMetadataCache(settings.metadataAt, {
    failuresKept: deps.failuresKeptMs ?? 0,
    accept: configure,
    now: deps.now,
  })

  return {
    wait,

    async step() {
      const bytes = new Map([[settings.metadataAt, longestMetadata]])
      const ask = fetchUntilDeadline(deps, (address) => bytes.get(address) ?? longestKeys)
      const metadata = cache.cached() ?? (await wait(() => cache.read(ask)))
      const at = addressOf(metadata.userinfo_endpoint)
      if (at !== undefined) bytes.set(at, longestClaims)
      return { metadata, ask }
    },

    async configured({ metadata, ask }) {
      const config = await configure(metadata)
      config[customFetch] = keepingFew(ask, addressOf(metadata.jwks_uri))
      if (keys)
        setJwksCache(config, { ...keys, uat: Math.min(keys.uat, Math.floor(deps.now() / 1000) - settled) })
      return { metadata, ask, config }
    },

    keepKeys(config) {
      keys = getJwksCache(config)
      return keys?.jwks.keys
    },

    keptKeys: () => keys && { set: { keys: [...keys.jwks.keys] }, readAt: keys.uat * 1000 },
  }
}

/** A fetch that gives openid-client only what is needed of a provider's keys. */
function keepingFew(ask: CustomFetch, keysAt: string | undefined): CustomFetch {
  return async (address, options) => {
    const response = await ask(address, options)
    if (address !== keysAt || response.status !== 200) return response
    return Response.json(readKeys(await response.text()))
  }
}

/** An address as openid-client asks for it. */
function addressOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : URL.parse(text)?.href
}
