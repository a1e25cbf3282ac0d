/** What is kept of an access token: never the token itself. */
export type AccessTokenRecord = {
  /** Seconds since the Unix epoch. */
  expiresAt: number
  jti: string
  grantId: string
  clientId: string
  /** Of the client by which it was decided to issue the token. */
  clientRevision: bigint
  scope: string
}

/** A token's key: both are claims of it, so that a look-up touches one partition. */
export type AccessTokenKey = Pick<AccessTokenRecord, 'expiresAt' | 'jti'>

/** A stored token that nothing has revoked. */
export type LiveAccessToken = {
  clientId: string
  /** Undefined for a token that a client got for itself. */
  userId: string | undefined
  /** Space-separated. */
  scope: string
  /** What the client may still have of it. */
  permittedScope: string
  /** Undefined for a token that a client got for itself. */
  username: string | undefined
}

/** Where access tokens are kept. Calls of the same moment share their statement. */
export type AccessTokenStore = {
  /** Resolves when the token is durable. @throws ClientChanged */
  insert(record: AccessTokenRecord): Promise<void>
  /** The token, unless it is unknown, revoked itself, or ended with its grant, client, user or consent. */
  findLive(key: AccessTokenKey): Promise<LiveAccessToken | undefined>
  /**
   * Revokes a token of this client's.
   * @returns whether this call is the one that revoked it
   */
  revoke(key: AccessTokenKey & { clientId: string }): Promise<boolean>
}

/** The kinds of thing whose tokens can be revoked at once. */
export const revocationKinds = ['grant', 'client', 'user', 'consent'] as const

/** Ends all tokens of one thing. */
export type Revocation = {
  kind: (typeof revocationKinds)[number]
  id: string
  /** What was granted until then is dead; `now`: by the store's clock; undefined: all, also what is to come. */
  issuedBefore: Date | 'now' | undefined
}

/** Where revocations of many tokens at once are kept. */
export type RevocationStore = {
  /** Resolves when it counts on every replica. Never makes an earlier revocation smaller. */
  add(revocation: Revocation): Promise<void>
}
