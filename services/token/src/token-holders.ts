/** A client that can act for a user: one of its access or refresh tokens is live. */
export type TokenHolder = {
  clientId: string
  /** What its live tokens are good for together, space-separated. */
  scope: string
  /** When the oldest grant behind them was given. */
  grantedAt: Date
}

/** Where the tokens of a user are found. */
export type TokenHolderStore = {
  /** The clients that hold live tokens of a user, the newest first; their scopes as each token has them. */
  list(userId: string): Promise<(Omit<TokenHolder, 'scope'> & { scopes: string[] })[]>
}

/**
 * Gives the clients that hold live tokens of a user, the newest first. Consents alone do not tell: a first-party client
 * has none, nor has one that got its tokens by the password grant.
 */
export async function listTokenHolders(userId: string, store: TokenHolderStore): Promise<TokenHolder[]> {
  // PostgreSQL has no text with a NUL in it.
  if (userId.includes('\0')) return []
  return (await store.list(userId)).map(({ scopes, ...holder }) => ({ ...holder, scope: together(scopes) }))
}

function together(scopes: readonly string[]): string {
  return [...new Set(scopes.flatMap((scope) => scope.split(' ')))].join(' ')
}
