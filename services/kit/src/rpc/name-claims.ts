/** Names that are reserved while a user or client is created. */
export type NameClaim = {
  /** The transaction that creates passes it to `holdReservation`. */
  reservation: string
  /** Whether the other service has this name, or is about to. */
  isTaken(name: string): boolean
}

/**
 * Keeps users and clients from having each other's names: a token's `sub` is either a user's id or a client's (RFC 9700 section
 * 4.15). Each side reserves before it asks the other one, so of two that want one name at the same moment, on any replicas, at least one
 * sees the other. Both may, and then both are refused.
 */
export type NameClaims = {
  /**
   * Reserves names, asks the other service for them, and creates.
   * @param create creates what has the names, except those that are taken
   * @throws Refusal temporarily_unavailable when the database or the other service is away; what `create` throws
   */
  during<Result>(names: readonly string[], create: (claim: NameClaim) => Promise<Result>): Promise<Result>
  /** Asks the other service without reserving. */
  ask(names: readonly string[]): Promise<NameClaim['isTaken']>
}
