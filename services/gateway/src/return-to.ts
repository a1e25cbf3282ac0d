/**
 * Where to go after a login: a path of ours, or nowhere. Browsers take `\` for `/` and drop tabs and line breaks, so
 * only what an URL parser keeps on our own origin, written plainly, passes.
 * @param value what the request says
 * @returns the path with its query, or undefined
 */
export function returnPath(value: string | undefined): string | undefined {
  if (value === undefined || value.length > longest || !plainPath.test(value)) return undefined
  const url = URL.parse(value, ourselves)
  if (url?.origin !== ourselves) return undefined
  // After dot segments are resolved, `/..//elsewhere` is another host's address.
  const path = url.pathname + url.search
  return path.startsWith('//') ? undefined : path
}

/** In characters: an authorization request with everything in it, and a margin. */
const longest = 8_192
const ourselves = 'http://ourselves.invalid'
const plainPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
