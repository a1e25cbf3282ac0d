import { hash, timingSafeEqual } from 'node:crypto'
import type { ClientSecret } from '../client-authentication.ts'
import type { AuthenticationMethod } from './method.ts'

/**
 * A client that presents a secret (RFC 6749 section 2.3.1), in whichever of the two ways: libraries try one after the other, and a
 * registered one proves nothing that the other does not.
 */
export const clientSecret: AuthenticationMethod = {
  judge({ client, reading: { clientSecret: secret } }, { now }) {
    const secretDigest = hash('sha256', secret, 'buffer')
    const found = compare(secretDigest, client?.secrets ?? nobodysSecrets, now())
    if (secret === '') return 'no_secret'
    if (found === 'valid') return { secretDigest }
    return found === 'expired' ? 'expired_secret' : 'wrong_secret'
  },
}

/** Takes as long as to find out that a secret is wrong, for requests where none can be right. */
export function compareWithNobodys(secret: string): void {
  compare(hash('sha256', secret, 'buffer'), nobodysSecrets, 0)
}

const nobodysSecrets: readonly ClientSecret[] = [{ digest: new Uint8Array(32), expiresAt: 0 }]

type Comparison = 'valid' | 'expired' | 'wrong'

function compare(digest: Uint8Array, secrets: readonly ClientSecret[], now: number): Comparison {
  let found: Comparison = 'wrong'
  for (const { digest: known, expiresAt } of secrets) {
    const equal = timingSafeEqual(digest, known)
    if (equal && found !== 'valid') found = expiresAt === undefined || expiresAt > now ? 'valid' : 'expired'
  }
  return found
}
