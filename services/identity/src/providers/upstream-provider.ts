import type { Static, TObject, TProperties } from '@gatehouse/proto/typebox'
import type { ProviderDeps } from './provider-fetch.ts'
import type { ProviderSettings } from './settings.ts'
import type { SocialProvider } from './social-provider.ts'

/**
 * A provider where people log in: everything that is known of it before it is configured. Each is the `provider` that a folder beside
 * this file exports from its provider.ts.
 */
export type UpstreamProvider = {
  /** Its name in addresses, variables and accounts; also that of its folder. */
  name: string
  /** Its name for people. */
  title: string
  /** Its place among the others, on pages and in documents. */
  place: number
  /** Other names for it in addresses. */
  aliases?: readonly string[]
  /** Whether it can be asked to authenticate somebody again who is logged in there. */
  reauthenticates: boolean
  /** Its variables besides those for this server's credentials there. */
  variables: TProperties
  /** Creates it. @param values those of its variables */
  create(
    settings: ProviderSettings,
    values: Readonly<Record<string, unknown>>,
    deps: ProviderDeps,
  ): SocialProvider
}

/** Defines a provider, which gets the values of its own variables. */
export function defineProvider<const Variables extends TProperties>(
  provider: Omit<UpstreamProvider, 'variables' | 'create'> & {
    variables: Variables
    create(settings: ProviderSettings, values: Static<TObject<Variables>>, deps: ProviderDeps): SocialProvider
  },
): UpstreamProvider {
  const { create, ...rest } = provider
  // The configuration has checked the values by the schemas of the variables.
  return { ...rest, create: (settings, values, deps) => create(settings, values as never, deps) }
}
