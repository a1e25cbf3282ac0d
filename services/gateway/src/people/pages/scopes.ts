import { claimsOfScopes } from '@gatehouse/proto/claims'
import { readConsentedScope } from '@gatehouse/proto/consented-scope'
import type { Texts } from '../texts/table.ts'

/**
 * Says what each word of a scope allows.
 * @param scope space-separated; empty for nothing
 * @param organizations whether organizations are on
 * @param attributes the names of those that the user has, so that nobody is told of an e-mail address or a profile that they do not
 *   have; undefined when they are not known
 */
export function scopeInWords(
  scope: string,
  { consent: { scopes: t, laterScopes } }: Pick<Texts, 'consent'>,
  organizations: boolean,
  attributes?: readonly string[],
): string[] {
  const lacking = attributes && lackingIn(attributes, laterScopes)
  const ofOrganizations = organizations ? t.ofOrganizations : undefined
  const known: Readonly<Record<string, string>> = { ...t.known, ...ofOrganizations, ...lacking }
  return scope
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (Object.hasOwn(known, word) ? (known[word] as string) : t.other(word)))
}

/** The words for scopes that give nothing of this user yet. */
function lackingIn(attributes: readonly string[], { email, profile }: Texts['consent']['laterScopes']) {
  const hasProfile = claimsOfScopes.profile?.some((name) => attributes.includes(name))
  return { ...(!attributes.includes('email') && { email }), ...(!hasProfile && { profile }) }
}

/** A resource server, as far as its words are concerned. */
export type DescribedServer = {
  resourceId: string
  name: string
  scopes: readonly { scope: string; description: string }[]
}

/**
 * Says what a consent allows.
 * @param consented the scope that the consent remembers
 * @param servers the resource servers, whose words stand for their scopes
 * @param organizations whether organizations are on
 */
export function consentInWords(
  consented: string,
  servers: readonly DescribedServer[],
  texts: Pick<Texts, 'consent'>,
  organizations: boolean,
): string[] {
  const { other, ofServer } = texts.consent.scopes
  const { own, ofResources } = readConsentedScope(consented)
  const atResources = [...ofResources].flatMap(([resourceId, scopes]) => {
    const server = servers.find((one) => one.resourceId === resourceId)
    const description = (word: string) => server?.scopes.find(({ scope }) => scope === word)?.description
    return [...scopes].map((word) =>
      server ? ofServer(server.name, description(word) ?? other(word)) : other(word),
    )
  })
  return [...scopeInWords([...own].join(' '), texts, organizations), ...atResources]
}
