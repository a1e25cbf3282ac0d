import { timingSafeEqual } from 'node:crypto'
import { type PublicKey, readKeySet } from '@gatehouse/kit/keys/public-key'
import { clientFields } from '@gatehouse/proto/client-metadata'
import type { Client } from '../client-authentication.ts'
import type { AuthenticationMethod } from './method.ts'

/**
 * A client that proved in TLS that it has the key of a certificate that it has registered as `x5c` of one of its keys (RFC 8705 section
 * 2.2). Nobody else vouches for that, so it must be exactly this certificate.
 */
export const selfSignedTlsClientAuth: AuthenticationMethod = {
  judge({ client, certificate: read, reading, presented }) {
    if (presented.certificate === undefined) return 'no_certificate'
    if (read === undefined || reading.clientSecret !== '') return 'wrong_certificate'
    const { certificate, isCurrent } = read
    const registered = keysOf(client).some(
      (key) => key.certificate !== undefined && timingSafeEqual(key.certificate, certificate.digest),
    )
    if (!registered) return 'wrong_certificate'
    return isCurrent ? {} : 'expired_certificate'
  },
}

const read = new WeakMap<object, readonly PublicKey[]>()

function keysOf(client: Client | undefined): readonly PublicKey[] {
  const set = client?.metadata.jwks
  if (set === undefined) return []
  const known = read.get(set)
  if (known !== undefined) return known
  const result = readKeySet(set, clientFields.jwks.maxItems)
  const keys = 'keys' in result ? result.keys : []
  read.set(set, keys)
  return keys
}
