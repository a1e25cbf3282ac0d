/**
 * The address of the login page, or of a login through a provider, which leads back to a path afterwards.
 * @param returnTo what returnPath gives
 */
export function loginAddress(returnTo: string | undefined, provider?: string): string {
  const page = provider === undefined ? '/auth/login' : `/auth/login/${provider}`
  return returnTo === undefined ? page : `${page}?return_to=${encodeURIComponent(returnTo)}`
}

/**
 * Where to go after a login: a path of ours that the login page's address can carry, or nowhere. Browsers take `\` for `/` and drop tabs and line breaks, so
 * only what an URL parser keeps on our own origin, written plainly, passes.
 * @param value what the request says
 * @returns the path with its query, or undefined
 */
export function returnPath(value: string | undefined): string | undefined {
  if (value === undefined || !plainPath.test(value)) return undefined
  const url = URL.parse(value, ourselves)
  if (url?.origin !== ourselves) return undefined
  // After dot segments are resolved, `/..//elsewhere` is another host's address.
  const path = url.pathname + url.search
  return path.startsWith('//') || loginAddress(path).length > longest ? undefined : path
}

/**
 * In bytes. Node reads 16,384 of a request's address and headers together; with this address Chromium sends 1,400 more on
 * its way to a provider, all of our cookies included. What is left is for the cookies of neighbours and for proxies.
 */
const longest = 12_288
const ourselves = 'http://ourselves.invalid'
const plainPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
