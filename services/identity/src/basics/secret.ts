import { createHash } from 'node:crypto'
import { expiringSecret, expiringSecretBytes } from '@gatehouse/kit/expiring-secret'

/** Returns this many random bytes. */
export type RandomBytes = (count: number) => Buffer

/** 256 random bits in base64url. A secret is handed out only once: the server stores its digest alone. */
export function createSecret(randomBytes: RandomBytes): string {
  return randomBytes(32).toString('base64url')
}

/**
 * The secret of a session, which carries its expiry.
 * @param expiresAt seconds since the Unix epoch; undefined for a session whose secret carries none
 */
export function createSessionSecret(randomBytes: RandomBytes, expiresAt: number | undefined): string {
  if (expiresAt === undefined) return createSecret(randomBytes)
  return expiringSecret(randomBytes(expiringSecretBytes), expiresAt)
}

/** The SHA-256 of a secret, which is what is stored. For 224 random bits or more, a slow hash would add nothing. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** No text in UTF-8 has this byte (RFC 3629 section 1), so `digestOf` gives no text the digest of another kind. */
const noText = Buffer.of(0xff)

/**
 * The SHA-256 by which a session is stored whose logins all count in one organization each: of the byte 0xff, `member:` and the secret.
 * Nothing that looks for a session by `digestOf` finds it.
 */
export function memberDigestOf(secret: string): Buffer {
  return createHash('sha256').update(noText).update(`member:${secret}`).digest()
}

/** The two digests of a secret, by one of which its session is stored. */
export type SessionDigests = {
  secretDigest: Buffer
  /** See memberDigestOf. */
  memberDigest: Buffer
}

/** The digests of a session's secret. */
export function digestsOf(secret: string): SessionDigests {
  return { secretDigest: digestOf(secret), memberDigest: memberDigestOf(secret) }
}

/** The digests of the session that a browser had until now, whichever kind it is. @param secret undefined for no session */
export function previousDigestsOf(secret: string | undefined): readonly Buffer[] {
  return secret === undefined ? [] : [digestOf(secret), memberDigestOf(secret)]
}
