import { answerLifetime } from '@gatehouse/kit/fetch/answer-lifetime'
import { type Fetcher, ServerUnavailable } from '@gatehouse/kit/fetch/guarded-fetch'
import { type PublicKey, readPublicKey } from '@gatehouse/kit/keys/public-key'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { FetchedKeysDeps } from './fetched-keys.ts'

/** The needs of reading keys. */
export type KeySetReadingDeps = {
  fetcher: Pick<Fetcher, 'get'>
  log: Pick<Logger, 'info'>
}

/** How long a request for keys may take, in milliseconds. The gateway waits longer for the answer: `keysPatience`. */
export const keySetTimeout = 3_000

const maxBytes = 65_536
const mostKeys = 20
/** In seconds. */
const lifetimes = { shortest: 60, longest: 3_600, unsaid: 600 }

/** Creates the function that reads the key set (RFC 7517 section 5) at the `jwks_uri` of a client. */
export function createKeySetReading({ fetcher, log }: KeySetReadingDeps): FetchedKeysDeps['read'] {
  return async (clientId, uri) => {
    try {
      // Servers of files say different things about the type, and JSON that is no key set is refused anyway.
      const { headers, body } = await fetcher.get(new URL(uri), { maxBytes, takesType: () => true })
      return { keys: keysIn(body), lifetime: answerLifetime(headers, lifetimes) }
    } catch (error) {
      const { message } = error as Error
      log.info({ clientId, reason: message }, 'the keys of a client cannot be read')
      return error instanceof ServerUnavailable ? 'away' : 'no keys'
    }
  }
}

/**
 * The keys of a set. Wrong ones are left out: the client may use the others.
 * @throws Error whose message has nothing of the set
 */
function keysIn(body: Buffer): PublicKey[] {
  const { keys } = Object(parsed(body)) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('the answer is no key set')
  if (keys.length > mostKeys) throw new Error(`the key set has more than ${mostKeys} keys`)
  return keys.flatMap((jwk) => {
    const read = readPublicKey(jwk)
    return 'key' in read ? [read.key] : []
  })
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Error('the answer is no JSON')
  }
}
