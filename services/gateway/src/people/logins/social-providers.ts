import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { upstreamProviders } from '@gatehouse/proto/upstream-providers'

/** The providers' names for people. The identity service knows which providers are configured. */
export const titles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(upstreamProviders).map(([name, { title }]) => [name, title]),
)

/** Other names of these providers. */
const aliases: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(upstreamProviders).flatMap(([name, { aliases }]) => aliases.map((alias) => [alias, name])),
)

/** Providers that are known but never offered: each company that buys one has its own. */
const enterprise: Readonly<Record<string, string>> = { okta: 'Okta', auth0: 'Auth0' }

/** The names that stand for configurable providers in an address. */
export const providerNames = [titles, aliases].flatMap((names) => Object.keys(names))

/** Sentences about the names that stand for others, or for none that is offered. */
export const aboutNames = [
  ...Object.entries(aliases).map(([alias, name]) => `\`${alias}\` is another name of \`${name}\`.`),
  `${inWords(Object.keys(enterprise).map((name) => `\`${name}\``))} always answer 503.`,
].join(' ')

/** A sentence about the providers that cannot be asked to authenticate somebody again. */
export const aboutAgain = `${inWords(
  Object.values(upstreamProviders).flatMap(({ title, reauthenticates }) => (reauthenticates ? [] : [title])),
)} cannot be asked.`

function inWords(names: readonly string[]): string {
  return names.join(' and ')
}

/** The provider that a name in an address stands for. */
export type NamedProvider = { name: string; title: string; offered: boolean }

/** The provider that an address names; undefined when the name is unknown. */
export function providerNamed(text: string): NamedProvider | undefined {
  if (Object.hasOwn(enterprise, text)) return { name: text, title: enterprise[text] ?? text, offered: false }
  const name = Object.hasOwn(aliases, text) ? (aliases[text] ?? text) : text
  return Object.hasOwn(titles, name) ? { name, title: providerTitle(name), offered: true } : undefined
}

/** The name of a provider for people. */
export function providerTitle(name: string): string {
  return Object.hasOwn(titles, name) ? (titles[name] ?? name) : name
}

/** In milliseconds: how long the identity service's answer is kept, and how long a login page waits for it. */
const keptFor = 30_000
const patience = 1_000

/**
 * Asks the identity service now and then which providers are configured.
 * @returns a function that gives their names: the last known ones while the service is unavailable, since a login page can
 * do without them
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
      askAgain = now() + keptFor
    } catch {
      // A login itself reports that the service is unavailable.
    }
    return known
  }
}
