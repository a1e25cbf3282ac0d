/** A role or a group was taken from somebody. */
export type AuthorityChange = {
  /** One of proto/authority.ts. */
  key: string
  /** Of the database to which the key belongs. */
  revision: bigint
}

/** Stores changes of roles and groups for all replicas. */
export type AuthorityChangeStore = {
  /**
   * Ends access tokens that were made by an older revision. Resolves when that applies on every replica, also to those that are stored
   * later. An older change than the last one of its key changes nothing.
   */
  apply(change: AuthorityChange): Promise<void>
}
