import { timingSafeEqual } from 'node:crypto'
import type { Certificate } from '@gatehouse/kit/certificates/certificate'
import type { PublicKey } from '@gatehouse/kit/keys/public-key'
import type { AuthenticationMethod } from './method.ts'

/**
 * A client that proved in TLS that it has the key of a certificate that it has registered as `x5c` of one of its keys (RFC 8705 section
 * 2.2). Nobody else vouches for that, so it must be exactly this certificate.
 */
export const selfSignedTlsClientAuth: AuthenticationMethod = {
  async judge({ client, certificate: read, reading, presented }, { keys }) {
    if (presented.certificate === undefined) return 'no_certificate'
    if (client === undefined || read === undefined || reading.clientSecret !== '') return 'wrong_certificate'
    const { certificate, isCurrent } = read
    const mayWait = presented.mayWait ?? false
    const known = await keys.of(client, mayWait)
    if (known === undefined) return 'keys_unreachable'
    const key = keyOf(certificate, known) ?? keyOf(certificate, (await keys.newerOf(client, mayWait)) ?? [])
    if (key === undefined) return 'wrong_certificate'
    return isCurrent ? { keyThumbprint: key.thumbprint } : 'expired_certificate'
  },
}

function keyOf({ digest }: Certificate, keys: readonly PublicKey[]): PublicKey | undefined {
  return keys.find(({ certificate }) => certificate !== undefined && timingSafeEqual(certificate, digest))
}
