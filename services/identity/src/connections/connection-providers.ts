import { importJWK } from 'jose/key/import'
import { type ClientAuth, type CryptoKey, PrivateKeyJwt } from 'openid-client'
import { clientSecret } from '../providers/client-authentication.ts'
import { openIdProvider, standardSettings } from '../providers/openid.ts'
import type { ProviderDeps } from '../providers/provider-fetch.ts'
import { countWaiting, rememberFailures, type WaitForProvider } from '../providers/requests-under-way.ts'
import { ProviderFailure, type SocialProvider } from '../providers/social-provider.ts'
import { type SocialConfig, upstreamProviders } from '../providers/table.ts'
import type { ConnectionEncryption } from './connection-secrets.ts'
import type { LoginConnection } from './login-connection.ts'

/** The providers of connections. */
export type ConnectionProviders = {
  /** @throws ProviderFailure when the secret or key of the connection cannot be decrypted */
  of(connection: LoginConnection): Promise<SocialProvider>
}

/** The needs of making providers of connections. */
export type ConnectionProviderDeps = ProviderDeps & {
  encryption: ConnectionEncryption | undefined
  /** This server's address for browsers. */
  publicBaseUrl: string
  /** The variables of social providers, which also say where those are. */
  config: SocialConfig
}

/** There are no more connections than that. */
const mostCached = 500

/** A provider that is made once, also for two logins that need it at the same time. */
type Kept = { revision: bigint; provider: Promise<SocialProvider>; wait: WaitForProvider }

/**
 * Creates the providers of connections. One is kept with its metadata and keys until the connection changes.
 */
export function createConnectionProviders(deps: ConnectionProviderDeps): ConnectionProviders {
  const cached = new Map<string, Kept>()
  return {
    of(connection) {
      const { connectionId, revision } = connection
      const known = cached.get(connectionId)
      if (known?.revision === revision) return known.provider
      // A change lets nobody wait twice as often.
      const wait = known?.wait ?? countWaiting()
      const ask = rememberFailures(deps.fetch, deps.failuresKeptMs ?? 0, deps.now)
      const provider = providerOf(connection, { ...deps, fetch: ask, wait })
      const kept = { revision, provider, wait }
      // A secret that cannot be decrypted is tried again.
      provider.catch(() => cached.get(connectionId) === kept && cached.delete(connectionId))
      cached.delete(connectionId)
      const [oldest] = cached.keys()
      if (cached.size >= mostCached && oldest !== undefined) cached.delete(oldest)
      cached.set(connectionId, kept)
      return provider
    },
  }
}

async function providerOf(
  connection: LoginConnection,
  deps: ConnectionProviderDeps,
): Promise<SocialProvider> {
  const { connectionId, kind, issuer, clientId, scope } = connection
  const redirectUri = new URL(`/auth/callback/${connectionId}`, deps.publicBaseUrl).href
  if (kind !== 'oidc') {
    const settings = { clientId, clientSecret: secretOf(connection, deps), redirectUri }
    const provider = upstreamProviders.find(({ name }) => name === kind)
    if (provider === undefined) throw new Error(`there is no provider ${kind}`)
    return provider.create(settings, { ...deps.config, ...tenantOf(connection) }, deps)
  }
  if (issuer === undefined) throw new Error('the connection has no issuer')
  const authentication = await authenticationOf(connection, deps)
  const settings = standardSettings(issuer, { clientId, redirectUri }, authentication)
  return openIdProvider({ ...settings, scope, asOffered: true }, deps)
}

/** Microsoft has an endpoint for one tenant, and one for those of all organizations. */
function tenantOf({ kind, tenants }: LoginConnection) {
  if (kind !== 'microsoft') return {}
  const [only, ...others] = tenants
  const tenant = only === undefined ? 'common' : others.length === 0 ? only : 'organizations'
  return { OAUTH2_MICROSOFT_TENANT_ID: tenant }
}

async function authenticationOf(
  connection: LoginConnection,
  deps: Pick<ConnectionProviderDeps, 'encryption'>,
): Promise<ClientAuth> {
  if (connection.clientAuthentication === 'client_secret') return clientSecret(secretOf(connection, deps))
  const jwk = JSON.parse(opened(connection.clientKey, connection, deps))
  const key = (await importJWK(jwk, 'ES256')) as CryptoKey
  return PrivateKeyJwt({ key, kid: String(connection.clientPublicKey?.kid) })
}

function secretOf(connection: LoginConnection, deps: Pick<ConnectionProviderDeps, 'encryption'>): string {
  return opened(connection.clientSecret, connection, deps)
}

function opened(
  content: Buffer | null,
  { connectionId }: LoginConnection,
  { encryption }: Pick<ConnectionProviderDeps, 'encryption'>,
): string {
  try {
    if (encryption !== undefined && content !== null)
      return encryption.decrypt(content, connectionId).toString()
  } catch {
    // Another key, whose error says no more.
  }
  const reason =
    'the secret of the connection cannot be decrypted; OAUTH2_FACTOR_KEY must be the one that encrypted it'
  throw new ProviderFailure('bad answer', reason)
}
