/** The scope that a user has allowed a client. */
export type ConsentedScope = {
  /** Scopes of this server itself. */
  own: ReadonlySet<string>
  /** Scopes of resource servers, by the id of the resource server: another one that gets the identifier later is not meant. */
  ofResources: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * Stands between the id of a resource server and its scopes, because a scope cannot have it (RFC 6749 section 3.3).
 */
const separator = '"'

/**
 * Writes what a user allows, as a consent remembers it: words with one space between two. A word is a scope, or a resource
 * server's id with its scopes, such as `0190f0a0-…"mcp:tools"mcp:files`. So the scope of one resource server is never
 * taken for that of another.
 */
export function writeConsentedScope(
  own: readonly string[],
  resources: readonly { resourceId: string; scopes: readonly string[] }[],
): string {
  const ofResources = resources.map(({ resourceId, scopes }) => [resourceId, ...scopes].join(separator))
  return [...own, ...ofResources].join(' ')
}

/** Reads what consents remember: each is added to those before it. */
export function readConsentedScope(text: string): ConsentedScope {
  const own = new Set<string>()
  const ofResources = new Map<string, Set<string>>()
  for (const word of text.split(' ')) {
    const [first = '', ...scopes] = word.split(separator)
    if (first === '') continue
    if (scopes.length === 0) own.add(first)
    else ofResources.set(first, new Set([...(ofResources.get(first) ?? []), ...scopes]))
  }
  return { own, ofResources }
}
