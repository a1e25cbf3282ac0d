import { createSecret, digestOf, type RandomBytes } from '../basics/secret.ts'

/** The most logins under way that a browser can present with a callback. */
const mostPresented = 5

/** The secrets of a login that begins at a provider, and the one that binds it to the browser. */
export function createLoginSecrets(randomBytes: RandomBytes) {
  const [state, nonce, codeVerifier, browserSecret] = Array.from({ length: 4 }, () =>
    createSecret(randomBytes),
  ) as [string, string, string, string]
  return { state, nonce, codeVerifier, browserSecret }
}

/** The login that a callback tells of, and the logins that its browser began. */
export type PresentedLogin = { state: string; stateDigest: Buffer; browserDigests: Buffer[] }

/**
 * Reads which login a callback tells of.
 * @param query of the callback
 * @returns undefined when it has several states
 */
export function presentedLogin(query: string, browserSecrets: readonly string[]): PresentedLogin | undefined {
  const [state = '', ...more] = new URLSearchParams(query).getAll('state')
  if (more.length > 0) return undefined
  const browserDigests = browserSecrets.slice(0, mostPresented).map(digestOf)
  return { state, stateDigest: digestOf(state), browserDigests }
}
