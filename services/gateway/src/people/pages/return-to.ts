/**
 * The address of the login page, or of a login through a provider, that leads back to a path afterwards.
 * @param returnTo the result of returnPath
 * @param options.again whether a user who is logged in must log in again
 * @param options.otherWay whether they must log in another way, because their login does not count there
 */
export function loginAddress(
  returnTo: string | undefined,
  {
    provider,
    again = false,
    otherWay = false,
  }: { provider?: string; again?: boolean; otherWay?: boolean } = {},
): string {
  const path = pathWithReturn(provider === undefined ? '/auth/login' : `/auth/login/${provider}`, returnTo)
  const flags = [...(again ? ['again=yes'] : []), ...(otherWay ? ['other=yes'] : [])]
  return flags.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${flags.join('&')}`
}

/** The path of a page that leads to another one afterwards. @param returnTo the result of returnPath */
export function pathWithReturn(page: string, returnTo: string | undefined): string {
  return returnTo === undefined ? page : `${page}?return_to=${encodeURIComponent(returnTo)}`
}

/** The place where a user is asked for a second factor: a login that waits for it, or a session. */
export type FactorPlace = 'login' | 'session'

/**
 * The address of the page that asks for a second factor and leads back to a path afterwards.
 * @param returnTo the result of returnPath
 * @param page the part of the path of one of the pages that enrol a factor
 */
export function secondFactorAddress(returnTo: string | undefined, of: FactorPlace, page = ''): string {
  const parameters = [
    ...(of === 'session' ? ['of=session'] : []),
    ...(returnTo === undefined ? [] : [`return_to=${encodeURIComponent(returnTo)}`]),
  ]
  return `/auth/second-factor${page}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

const continuation = '/oauth/continue?flow='

/**
 * The path at which a waiting authorization request continues.
 * @param account the session in which the user chose to continue
 */
export function continuationPath(flowId: string, account?: string): string {
  return continuation + flowId + (account === undefined ? '' : `&account=${account}`)
}

/** The id of the authorization request that continues at a path, if one does. */
export function flowAt(path: string | undefined): string | undefined {
  return path?.startsWith(continuation) ? path.slice(continuation.length) : undefined
}

/**
 * Checks the path to return to after a login, so that nobody can redirect a user to another site. Browsers read `\` as `/`
 * and drop tabs and line breaks, so a path passes only in plain characters and if a URL parser keeps it on our own origin.
 * @param value the path that the request gives; undefined when it gives none
 * @returns the path with its query, or undefined
 */
export function returnPath(value: string | undefined): string | undefined {
  if (value === undefined || !plainPath.test(value)) return undefined
  const url = URL.parse(value, ourselves)
  if (url?.origin !== ourselves) return undefined
  // Once its dot segments are resolved, `/..//elsewhere` is the address of another host.
  const path = url.pathname + url.search
  return path.startsWith('//') || path.length > longest ? undefined : path
}

/** In bytes: longer than any path of ours with its query, but short compared with the largest head that Node reads. */
const longest = 4_096
const ourselves = 'http://ourselves.invalid'
const plainPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
