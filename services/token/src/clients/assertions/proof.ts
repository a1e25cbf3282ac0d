import { hash } from 'node:crypto'

/** A proof that counts once, such as the assertion of a client (RFC 7523 section 3). */
export type Proof = {
  /** SHA-256 of its kind, of the party that made it, and of its `jti`. */
  digest: Uint8Array
  /** Until when it could be presented, in seconds since the Unix epoch. */
  expiresAt: number
  /** A UUID that tells the request that presents it from others: once it has spent the proof, the same request may go on with it. */
  attempt: string
  /** The client that made it. */
  clientId: string
}

/** An item of a statement that first spends a proof, where it has one. */
export type Proving = { proof?: Proof | undefined }

/** Stores which proofs are spent, for all replicas. */
export type ProofStore = {
  /**
   * Spends a proof; those of the same moment share a statement. It does nothing for one that this request has spent before.
   * @throws NotAuthenticated when another request has spent it; Refusal temporarily_unavailable
   */
  spend(proof: Proof): Promise<void>
}

/** The digest of a proof. Each part has its length before it, so that no two lists of parts have the same text. */
export function proofDigest(...parts: readonly [kind: string, owner: string, jti: string]): Buffer {
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'buffer')
}
