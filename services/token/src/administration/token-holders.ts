/** A client that can act for a user in an organization or in none, because one of its access or refresh tokens is active. */
export type TokenHolder = {
  clientId: string
  /** The organization in which they were given; undefined for none. */
  organizationId: string | undefined
  /** The scope of all its active tokens together, space-separated. */
  scope: string
  /** When the oldest grant of these tokens was given. */
  grantedAt: Date
}

/** Finds the clients that hold a user's tokens. */
export type TokenHolderStore = {
  /** The clients that hold active tokens of a user, newest first, once for each organization, with the scope of each token. */
  list(userId: string): Promise<(Omit<TokenHolder, 'scope'> & { scopes: string[] })[]>
}

/**
 * Lists the clients that hold active tokens of a user, newest first, once for each organization. Consents are not enough for that: a first-party client
 * has none, nor has one that got its tokens with the password grant.
 */
export async function listTokenHolders(userId: string, store: TokenHolderStore): Promise<TokenHolder[]> {
  // PostgreSQL cannot store NUL in a text.
  if (userId.includes('\0')) return []
  return (await store.list(userId)).map(({ scopes, ...holder }) => ({ ...holder, scope: together(scopes) }))
}

function together(scopes: readonly string[]): string {
  return [...new Set(scopes.flatMap((scope) => scope.split(' ')))].join(' ')
}
