import { Refusal } from '@gatehouse/kit/errors'

/** Scope values of these characters with one space between two (RFC 6749 section 3.3). */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/**
 * The scope to grant: the requested one, or everything allowed when none was requested. It is never less than requested,
 * because some client libraries fail when the response differs from their request.
 * @param requested space-separated values, or the empty string
 * @param allowed space-separated values
 * @throws Refusal invalid_scope when it is malformed or contains a value that is not allowed
 */
export function grantScope(requested: string, allowed: string): string {
  if (requested === '' || requested === allowed) return allowed
  const words = scopeWords(requested)
  const mayHave = new Set(allowed.split(' '))
  const outside = words.filter((word) => !mayHave.has(word))
  if (outside.length > 0) {
    const named = outside.map((word) => (word.length <= longestShown ? word : '(a long word)')).join(' ')
    throw new Refusal('invalid_scope', `The client may not have this scope: ${named}`)
  }
  return words.join(' ')
}

/** Descriptions are logged, and a longer value may be a secret in the wrong place. */
const longestShown = 32

/**
 * The values of a scope, each once.
 * @param requested space-separated values
 * @throws Refusal invalid_scope when it is malformed
 */
export function scopeWords(requested: string): string[] {
  if (!scopePattern.test(requested)) {
    throw new Refusal('invalid_scope', 'The scope is malformed: words with one space between two.')
  }
  return [...new Set(requested.split(' '))]
}

/** Whether a request is one of OpenID Connect. Its scope is by default that of its client. */
export function asksForOpenid({ scope }: { scope: string }, client: { readonly scope: string }): boolean {
  return (scope || client.scope).split(' ').includes('openid')
}
