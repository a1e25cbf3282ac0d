import { passkeyDomain } from '@gatehouse/proto/people/passkeys'
import { digestOf, type RandomBytes } from '../basics/secret.ts'

/** The relying party of all passkeys (WebAuthn Level 3 section 5.4.2): this server. */
export type RelyingParty = {
  /** The host of the public base URL. Passkeys are bound to it. */
  id: string
  /** The only origin whose answers are accepted. */
  origin: string
}

/** The relying party of a server; undefined where browsers offer no passkeys. */
export function relyingPartyAt(publicBaseUrl: string): RelyingParty | undefined {
  const id = passkeyDomain(publicBaseUrl)
  return id === undefined ? undefined : { id, origin: new URL(publicBaseUrl).origin }
}

/** How long a user may take to answer a challenge, in seconds. */
export const challengeLifetime = 600

/** The purpose of a challenge, and the digest of the secret of the session or login for which it was made. */
export type Ceremony = { purpose: 'registration' | 'second_factor' | 'login'; ownerDigest: Buffer }

/** Stores challenges until they are answered. */
export type WebauthnChallengeStore = {
  /** @param challenge.lifetime in seconds */
  add(challenge: Ceremony & { challengeDigest: Buffer; lifetime: number }): Promise<void>
  /** Deletes a challenge. @returns false when it is unknown, expired, spent, or of another ceremony */
  spend(challenge: Ceremony & { challengeDigest: Buffer }): Promise<boolean>
}

/** The needs of challenges. */
export type ChallengeDeps = { challenges: WebauthnChallengeStore; randomBytes: RandomBytes }

/** Makes a challenge of 256 random bits for a ceremony. */
export async function createChallenge(
  ceremony: Ceremony,
  { challenges, randomBytes }: ChallengeDeps,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(32))
  const text = Buffer.from(challenge).toString('base64url')
  await challenges.add({ ...ceremony, challengeDigest: digestOf(text), lifetime: challengeLifetime })
  return challenge
}

/**
 * Spends the challenge of an answer, so that no answer and no challenge counts twice.
 * @param challenge as it is in the answer: base64url
 * @returns false when it is not an open challenge of this ceremony
 */
export function spendChallenge(
  challenge: string,
  ceremony: Ceremony,
  { challenges }: Pick<ChallengeDeps, 'challenges'>,
): Promise<boolean> {
  return challenges.spend({ ...ceremony, challengeDigest: digestOf(challenge) })
}

/** Whether an answer was made in a frame of another site's page (WebAuthn Level 3 section 5.8.1). No page of ours can be framed. */
export function isMadeInFrame({
  crossOrigin,
  topOrigin,
}: {
  crossOrigin?: unknown
  topOrigin?: unknown
}): boolean {
  return (crossOrigin !== undefined && crossOrigin !== false) || topOrigin !== undefined
}

/** A user's id as authenticators store it (the user handle): its 16 bytes. */
export function userHandleOf(userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(userId.replaceAll('-', ''), 'hex'))
}
