import { readdirSync } from 'node:fs'
import type { TProperties } from '@gatehouse/proto/typebox'
import type { ProviderDeps } from './provider-fetch.ts'
import type { SocialProvider } from './social-provider.ts'
import type { UpstreamProvider } from './upstream-provider.ts'
import { clientAt, variablesOf } from './variables.ts'

/** All providers, each from a folder beside this file, in their order. Nothing else names one, so a new one is its folder. */
export const upstreamProviders: readonly UpstreamProvider[] = (
  await Promise.all(
    readdirSync(import.meta.dirname, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => providerIn(name)),
  )
).sort((one, other) => one.place - other.place)

/** @throws Error when the folder has a provider of another name */
async function providerIn(folder: string): Promise<UpstreamProvider> {
  const { href } = new URL(`${folder}/provider.ts`, import.meta.url)
  const { provider } = (await import(href)) as { provider: UpstreamProvider }
  if (provider.name !== folder) throw new Error(`the folder ${folder} has the provider ${provider.name}`)
  return provider
}

/** The variables of social logins. */
export const socialVariables: TProperties = Object.assign({}, ...upstreamProviders.map(variablesOf))

/** The same, with their values. */
export type SocialConfig = Readonly<Record<string, unknown>>

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
  for (const { name, create } of upstreamProviders) {
    const client = clientAt(name, config)
    if (client === undefined) continue
    // Normalized once, because both of the provider's endpoints must get the same text (RFC 6749 section 4.1.3).
    const redirectUri = new URL(`/auth/callback/${name}`, publicBaseUrl).href
    providers.set(name, create({ ...client, redirectUri }, config, deps))
  }
  return providers
}
