import { randomUUIDv7 } from 'node:crypto'
import type { ClientRegistry } from './clients/client-cache.ts'
import type { ResourceIndicators } from './clients/resource-indicators.ts'
import type { AccessTokenSigner } from './tokens/access-token.ts'

/** The needs of a token besides its row. */
export type ReadinessDeps = {
  signer: Pick<AccessTokenSigner, 'issuer' | 'checkFresh' | 'sign'>
  registry: ClientRegistry
  resourceIndicators: Pick<ResourceIndicators, 'targetOf'>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** An id that no client has: the registry answers as for any other, and a row with it is apart from every client's. */
export const nobody = 'the readiness of gatehouse'

/**
 * Does what a request for a token does before its row is stored: asks the client registry for a client, judges by the resource servers,
 * and signs.
 * @throws Refusal temporarily_unavailable when a request would be refused for want of the registry, of the resource servers or of a
 *   signing key
 */
export async function tryToIssue({
  signer,
  registry,
  resourceIndicators,
  now,
}: ReadinessDeps): Promise<void> {
  signer.checkFresh()
  const seconds = Math.floor(now() / 1000)
  await Promise.all([
    registry.lookup([{ clientId: nobody, revision: 0n }]),
    resourceIndicators.targetOf([], { scope: '', scopeSetBy: 'registration' }),
    // It has expired and has no row, and it is forgotten here.
    signer.sign({
      iss: signer.issuer,
      sub: nobody,
      aud: nobody,
      exp: seconds,
      iat: seconds,
      jti: randomUUIDv7(),
      scope: '',
      client_id: nobody,
    }),
  ])
}
