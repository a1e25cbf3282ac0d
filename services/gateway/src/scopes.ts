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
 * @param scope space-separated
 */
export function scopeInWords(scope: string): string[] {
  return scope
    .split(' ')
    .map((word) => (Object.hasOwn(words, word) ? (words[word] as string) : `Use “${word}”`))
}
