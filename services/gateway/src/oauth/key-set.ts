import { shared } from '@gatehouse/kit/shared'
import { keySetMaxAge } from '@gatehouse/proto/algorithms'
import { type SharedDocument, sharedDocument } from '../http/shared-document.ts'

/** The published key set (RFC 7517 section 5). */
export type KeySet = {
  /** In JSON. */
  document: SharedDocument
  /** How long a verifier may use it, in seconds. */
  maxAge: number
}

/** The needs of publishing the keys. */
export type KeySetDeps = {
  /** Reads the key set from the token service, in JSON. */
  read(): Promise<string>
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number
}

/** In milliseconds. Not longer, so that a withdrawn key is published no more a second later. */
const freshFor = 1_000

/**
 * Creates a function that gets the key set, which reads it at most once a second. While the token service is away, the last one
 * is given for as long as verifiers may use a key set anyway, and the time that it has waited here counts: so nobody uses it for
 * longer than `keySetMaxAge` after it was read, and a staged key is known to every verifier before it signs.
 * @returns a function that throws the Refusal of `read` when there is no key set that may still be used
 */
export function createKeySet({ read, monotonicNow }: KeySetDeps): () => Promise<KeySet> {
  let last: { document: SharedDocument; readAt: number } | undefined
  const age = () => (last ? monotonicNow() - last.readAt : Number.POSITIVE_INFINITY)

  const refresh = shared(async () => {
    // Before the request, so that the key set is at least as recent.
    const readAt = monotonicNow()
    const content = Buffer.from(await read())
    // The same bytes as long as they say the same.
    const unchanged = last?.document.content.equals(content)
    const document =
      last && unchanged ? last.document : sharedDocument(content, 'application/json; charset=utf-8')
    last = { document, readAt }
  })

  return async () => {
    if (age() > freshFor) {
      await refresh().catch((error: unknown) => {
        if (age() >= keySetMaxAge * 1000) throw error
      })
    }
    if (last === undefined) throw new Error('the key set was not read')
    const waited = age() <= freshFor * 2 ? 0 : Math.ceil(age() / 1000)
    return { document: last.document, maxAge: Math.max(0, keySetMaxAge - waited) }
  }
}
