import { Refusal } from '@gatehouse/kit/errors'

/** RFC 6749 section 3.3: a scope is words of these characters with one space between two. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/**
 * The scope that a grant gives: what was asked for, or all that is allowed where nothing was asked for. Never less
 * than asked for: a library that compares the answer with its request would stop there.
 * @param requested space-separated words, or the empty string
 * @param allowed space-separated words
 * @throws Refusal invalid_scope when it is malformed or one word is not allowed
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

/** Descriptions are logged, and what is longer may be a secret in the wrong place. */
const longestShown = 32

/**
 * The words of a scope, each once.
 * @param requested space-separated words
 * @throws Refusal invalid_scope when it is malformed
 */
export function scopeWords(requested: string): string[] {
  if (!scopePattern.test(requested)) {
    throw new Refusal('invalid_scope', 'The scope is malformed: words with one space between two.')
  }
  return [...new Set(requested.split(' '))]
}
