const words: Record<string, string> = {
  read: 'Read your data',
  write: 'Change your data',
  profile: 'See your name and profile',
  email: 'See your e-mail address',
}

/**
 * What each word of a scope allows, for people.
 * @param scope space-separated
 */
export function scopeInWords(scope: string): string[] {
  return scope
    .split(' ')
    .map((word) => (Object.hasOwn(words, word) ? (words[word] as string) : `Use “${word}”`))
}
