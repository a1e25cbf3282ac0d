/**
 * The address of the login page, or of a login through a provider, which leads back to a path afterwards.
 * @param returnTo what returnPath gives
 */
export function loginAddress(returnTo: string | undefined, provider?: string): string {
  const page = provider === undefined ? '/auth/login' : `/auth/login/${provider}`
  return returnTo === undefined ? page : `${page}?return_to=${encodeURIComponent(returnTo)}`
}

const continuation = '/oauth/continue?flow='

/** The path where an authorization request goes on that waits for its user. */
export function continuationPath(flowId: string): string {
  return continuation + flowId
}

/** The id of the authorization request that goes on at a path, if one does. */
export function flowAt(path: string | undefined): string | undefined {
  return path?.startsWith(continuation) ? path.slice(continuation.length) : undefined
}

/**
 * Where to go after a login: a path of ours, or nowhere. Browsers take `\` for `/` and drop tabs and line breaks, so only what
 * an URL parser keeps on our own origin, written plainly, passes.
 * @param value what the request says
 * @returns the path with its query, or undefined
 */
export function returnPath(value: string | undefined): string | undefined {
  if (value === undefined || !plainPath.test(value)) return undefined
  const url = URL.parse(value, ourselves)
  if (url?.origin !== ourselves) return undefined
  // After dot segments are resolved, `/..//elsewhere` is another host's address.
  const path = url.pathname + url.search
  return path.startsWith('//') || path.length > longest ? undefined : path
}

/** In bytes: more than any path of ours with its query, and few beside what Node reads of a request's head. */
const longest = 4_096
const ourselves = 'http://ourselves.invalid'
const plainPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
