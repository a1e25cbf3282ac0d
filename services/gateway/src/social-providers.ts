import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'

/** The providers that people may log in through, as people call them. Which are configured, the identity service knows. */
const titles: Readonly<Record<string, string>> = {
  google: 'Google',
  microsoft: 'Microsoft',
  github: 'GitHub',
}

/** Other names of theirs. */
const aliases: Readonly<Record<string, string>> = { azure: 'microsoft' }

/** Known, and never there: these are for companies that have bought them, one by one. */
const enterprise: Readonly<Record<string, string>> = { okta: 'Okta', auth0: 'Auth0' }

/** The names that an address may have of providers that can be configured. */
export const providerNames = [titles, aliases].flatMap((names) => Object.keys(names))

/** What the name of a provider in an address stands for. */
export type NamedProvider = { name: string; title: string; offered: boolean }

/** The provider that an address names; undefined: there is none of this name. */
export function providerNamed(text: string): NamedProvider | undefined {
  if (Object.hasOwn(enterprise, text)) return { name: text, title: enterprise[text] ?? text, offered: false }
  const name = Object.hasOwn(aliases, text) ? (aliases[text] ?? text) : text
  return Object.hasOwn(titles, name) ? { name, title: providerTitle(name), offered: true } : undefined
}

/** What to call a provider in front of people. */
export function providerTitle(name: string): string {
  return Object.hasOwn(titles, name) ? (titles[name] ?? name) : name
}

/** In milliseconds: how long the identity service's answer is believed, and how long a login page waits for it. */
const believed = 30_000
const patience = 1_000

/**
 * Which providers are configured, asked of the identity service now and then.
 * @returns gives their names; those that were known last while the service is away, since a login page needs them least
 */
export function createProviderList(
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'listSocialProviders'>,
  now: () => number,
): () => Promise<string[]> {
  let known: string[] = []
  let askAgain = 0
  return async () => {
    if (now() < askAgain) return known
    try {
      const { providers } = await identity.listSocialProviders({}, { deadline: now() + patience })
      known = providers
      askAgain = now() + believed
    } catch {
      // Whoever logs in is told that the service is away.
    }
    return known
  }
}
