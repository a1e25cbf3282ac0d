import { readConsentedScope } from '@gatehouse/proto/consented-scope'

const words: Record<string, string> = {
  read: 'Read your data',
  write: 'Change your data',
  profile: 'See your name and profile',
  email: 'See your e-mail address',
  openid: 'Recognize you when you log in',
  offline_access: 'Keep its access while you are away',
}

/**
 * Says what each word of a scope allows.
 * @param scope space-separated; empty for nothing
 */
export function scopeInWords(scope: string): string[] {
  return scope
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (Object.hasOwn(words, word) ? (words[word] as string) : `Use “${word}”`))
}

/** A resource server, as far as its words are concerned. */
export type DescribedServer = {
  resourceId: string
  name: string
  scopes: readonly { scope: string; description: string }[]
}

/**
 * Says what a consent allows.
 * @param consented what the consent remembers
 * @param servers the resource servers, whose words stand for their scopes
 */
export function consentInWords(consented: string, servers: readonly DescribedServer[]): string[] {
  const { own, ofResources } = readConsentedScope(consented)
  const atResources = [...ofResources].flatMap(([resourceId, scopes]) => {
    const server = servers.find((one) => one.resourceId === resourceId)
    const description = (word: string) => server?.scopes.find(({ scope }) => scope === word)?.description
    return [...scopes].map((word) =>
      server ? `${server.name}: ${description(word) ?? `Use “${word}”`}` : `Use “${word}”`,
    )
  })
  return [...scopeInWords([...own].join(' ')), ...atResources]
}
