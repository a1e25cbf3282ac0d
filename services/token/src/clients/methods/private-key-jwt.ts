import { randomUUIDv7 } from 'node:crypto'
import type { PublicKey } from '@gatehouse/kit/keys/public-key'
import {
  type Assertion,
  algorithmNames,
  type CheckedClaims,
  checkClaims,
  readAssertion,
} from '../assertions/assertion.ts'
import { acceptsAudience } from '../assertions/assertion-audience.ts'
import { candidates, signingKeyOf } from '../assertions/assertion-signature.ts'
import { proofDigest } from '../assertions/proof.ts'
import type { Client, ClientAuthenticationDeps } from '../client-authentication.ts'
import { compareWithNobodys } from './client-secret.ts'
import type { AuthenticationMethod, ClaimedRequest } from './method.ts'

/**
 * A client that signs an assertion about itself with its key (RFC 7523 section 2.2, OpenID Connect Core section 9). Nothing else that it
 * presents counts. The assertion is spent by whoever uses the judgement.
 */
export const privateKeyJwt: AuthenticationMethod = {
  readsAssertions: true,

  async judge(request, deps) {
    const { client, reading, presented } = request
    if (presented.assertion === undefined) {
      compareWithNobodys(reading.clientSecret)
      return 'no_assertion'
    }
    const assertion = readAssertion(presented.assertion)
    if (assertion === undefined) return 'wrong_assertion'
    const claims = checkClaims(assertion, reading.clientId, deps.now())
    if (typeof claims === 'string') return claims
    const key = await keyThatSigned(assertion, request, deps)
    if (key === 'unreachable') return 'keys_unreachable'
    if (client === undefined || key === undefined || !isAsRegistered(assertion, claims, client, deps))
      return 'wrong_assertion'
    const { clientId } = client
    return {
      keyThumbprint: key.thumbprint,
      proof: {
        digest: proofDigest('client_assertion', clientId, claims.jti),
        expiresAt: claims.exp,
        attempt: presented.attempt ?? randomUUIDv7(),
        clientId,
      },
    }
  },
}

/** Finds the key of the client that made the signature; undefined when none of its keys did. */
async function keyThatSigned(
  assertion: Assertion,
  { client, presented: { mayWait = false } }: ClaimedRequest,
  { keys }: ClientAuthenticationDeps,
): Promise<PublicKey | 'unreachable' | undefined> {
  if (client === undefined) return signingKeyOf(assertion, [])
  const known = await keys.of(client, mayWait)
  if (known === undefined) return 'unreachable'
  const fitting = candidates(assertion, known)
  const found = signingKeyOf(assertion, fitting)
  // A key that has the kid and did not sign is not replaced by one with the same kid.
  const isNamed = assertion.kid !== undefined && fitting.some(({ kid }) => kid === assertion.kid)
  if (found || isNamed) return found
  const newer = await keys.newerOf(client, mayWait)
  return newer && signingKeyOf(assertion, candidates(assertion, newer))
}

function isAsRegistered(
  { algorithm }: Assertion,
  claims: CheckedClaims,
  { metadata }: Client,
  { audiences, endpoint = 'token' }: ClientAuthenticationDeps,
): boolean {
  const { token_endpoint_auth_signing_alg: registered, assertion_audience: audience } = metadata
  const isAlgorithm = registered === undefined || algorithmNames(algorithm).includes(registered)
  return isAlgorithm && acceptsAudience(claims.aud, audience, audiences, endpoint)
}
