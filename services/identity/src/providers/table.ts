import { github } from './github.ts'
import { google } from './google.ts'
import { microsoft } from './microsoft.ts'
import type { ProviderDeps } from './provider-fetch.ts'
import type { ProviderSettings } from './settings.ts'
import type { SocialProvider } from './social-provider.ts'
import { clientAt, type SocialConfig } from './variables.ts'

type Make = (settings: ProviderSettings, config: SocialConfig, deps: ProviderDeps) => SocialProvider

/** Creates each provider from its variables. */
const table: Record<'google' | 'microsoft' | 'github', Make> = {
  google: (settings, config, deps) => google({ ...settings, issuer: config.OAUTH2_GOOGLE_ISSUER }, deps),
  microsoft(settings, config, deps) {
    const { OAUTH2_MICROSOFT_ISSUER: issuer, OAUTH2_MICROSOFT_TENANT_ID: tenant } = config
    return microsoft({ ...settings, issuer, tenant }, deps)
  },
  github(settings, config, deps) {
    const { OAUTH2_GITHUB_BASE_URL: baseUrl, OAUTH2_GITHUB_API_URL: apiUrl } = config
    return github({ ...settings, baseUrl, apiUrl }, deps)
  },
}

/**
 * The configured providers by name. It sends no request to any of them.
 * @param publicBaseUrl this server's address for browsers
 * @throws ConfigurationError when a provider has an id without a secret, or a secret without an id
 */
export function configuredProviders(
  config: SocialConfig,
  publicBaseUrl: string,
  deps: ProviderDeps,
): Map<string, SocialProvider> {
  const providers = new Map<string, SocialProvider>()
  for (const [name, make] of Object.entries(table)) {
    const client = clientAt(name, config)
    if (client === undefined) continue
    // Normalized once, because both of the provider's endpoints must get the same text (RFC 6749 section 4.1.3).
    const redirectUri = new URL(`/auth/callback/${name}`, publicBaseUrl).href
    providers.set(name, make({ ...client, redirectUri }, config, deps))
  }
  return providers
}
