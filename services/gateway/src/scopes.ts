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

/**
 * Says what a consent allows.
 * @param consented what the consent remembers
 */
export function consentInWords(consented: string): string[] {
  const { own, ofResources } = readConsentedScope(consented)
  const atResources = [...ofResources].flatMap(([identifier, scopes]) =>
    [...scopes].map((scope) => `Use “${scope}” at ${identifier}`),
  )
  return [...scopeInWords([...own].join(' ')), ...atResources]
}
