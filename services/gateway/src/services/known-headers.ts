import { LRUCache } from 'lru-cache'

/** The headers of JWTs that were active: those of the keys that sign now, and of those before them. */
export type KnownHeaders = {
  /** Whether a token has one of them, or is no JWT. */
  knows(token: string | undefined): boolean
  /** Remembers the header of an active token. */
  learn(token: string): void
}

/** A system has a few keys at a time, each with one header for each type of token. */
const mostHeaders = 100

/**
 * Remembers headers. The token service may have to wait for the key of any other one (anybody can invent a `kid`), which must not
 * delay the tokens that share its call.
 */
export function createKnownHeaders(): KnownHeaders {
  const headers = new LRUCache<string, true>({ max: mostHeaders })
  return {
    knows(token = '') {
      const header = headerOf(token)
      return header === '' || headers.has(header)
    },

    learn(token) {
      const header = headerOf(token)
      if (header !== '') headers.set(header, true)
    },
  }
}

function headerOf(token: string): string {
  return token.slice(0, Math.max(0, token.indexOf('.')))
}
