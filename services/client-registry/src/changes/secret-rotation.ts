import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { ClientRecord } from '../clients/client.ts'
import { unknownClient } from '../clients/client-list.ts'
import { createClientSecret, secretDigestOf } from '../clients/client-secret.ts'
import { type ClientChangeDeps, deliverChange } from './client-change.ts'

/** In seconds: 30 days. */
const longestOverlap = 2_592_000

/**
 * Gives a client a new secret. The previous one stays valid for the overlap. A client never has more than two valid secrets,
 * so an older one from an earlier overlap expires now.
 * @returns the client and its secret, which is not stored and cannot be shown again
 * @throws Refusal not_found; invalid_request for too long an overlap or a public client
 */
export async function rotateClientSecret(
  { clientId, overlapSeconds }: { clientId: string; overlapSeconds: number },
  actor: Actor,
  { store, randomBytes, deliver }: Pick<ClientChangeDeps, 'store' | 'randomBytes' | 'deliver'>,
): Promise<{ client: ClientRecord; clientSecret: string }> {
  if (overlapSeconds > longestOverlap)
    throw new Refusal('invalid_request', `overlap_seconds must be at most ${longestOverlap}: 30 days.`)
  const clientSecret = createClientSecret(randomBytes)
  const secretDigest = secretDigestOf(clientSecret)
  const rotated = await store.rotateSecret({ clientId, secretDigest, overlapSeconds }, actor)
  if (rotated === undefined) throw unknownClient()
  if (rotated === 'public') throw new Refusal('invalid_request', 'A public client has no secret to rotate.')
  if (rotated === 'keys')
    throw new Refusal(
      'invalid_request',
      'This client signs with keys and has no secret to rotate: replace its key.',
    )
  return { client: await deliverChange(rotated, deliver), clientSecret }
}

/**
 * Ends the previous secret of a client before its time.
 * @returns the client
 * @throws Refusal not_found for an unknown client, and for a secret that has ended; invalid_request for the current one
 */
export async function endClientSecret(
  { clientId, secretId }: { clientId: string; secretId: string },
  actor: Actor,
  { store, deliver }: Pick<ClientChangeDeps, 'store' | 'deliver'>,
): Promise<ClientRecord> {
  const ended = await store.endSecret({ clientId, secretId: secretId.toLowerCase() }, actor)
  if (ended === undefined) throw unknownClient()
  if (ended === 'unknown') throw new Refusal('not_found', 'The client has no such secret. It may have ended.')
  if (ended === 'current')
    throw new Refusal('invalid_request', 'This is the current secret. Create a new one to replace it.')
  return deliverChange(ended, deliver)
}
