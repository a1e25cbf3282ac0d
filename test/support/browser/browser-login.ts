/** A browser's cookies for one site, by name. */
export type CookieJar = Map<string, string>

/** An authorization request: its parameters, or the whole URL that a client made. */
export type AuthorizationRequest = URL | Record<string, string>

/** Where a browser sends its requests: a server, or an app that answers them in this process. */
export type Site = { baseUrl: string; answer?(request: Request): Promise<Response> }

/**
 * Sends a request as a browser does, with its cookies, and stores the cookies of the answer. Redirects are not followed.
 * @param path a path of the site, or a whole URL of it
 */
export async function browse(
  { baseUrl, answer = fetch }: Site,
  jar: CookieJar,
  path: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  if (!headers.has('accept')) headers.set('accept', 'text/html')
  if (jar.size > 0) headers.set('cookie', cookieHeader(jar))
  const response = await answer(new Request(new URL(path, baseUrl), { redirect: 'manual', ...init, headers }))
  keepCookies(jar, response.headers.getSetCookie())
  return response
}

/** Posts a form of one of the site's own pages. */
export function submit(
  system: Site,
  jar: CookieJar,
  path: string,
  fields: Record<string, string>,
): Promise<Response> {
  const { origin } = new URL(system.baseUrl)
  const headers = { origin, 'sec-fetch-site': 'same-origin' }
  return browse(system, jar, path, { method: 'POST', headers, body: new URLSearchParams(fields) })
}

/**
 * Logs in with the login page.
 * @returns the cookies of this user's browser
 * @throws Error when the login is refused
 */
export async function logIn(system: Site, username: string, password: string): Promise<CookieJar> {
  const jar: CookieJar = new Map()
  const response = await submit(system, jar, '/auth/login', { username, password })
  if (response.status !== 303) throw await unexpected('the login', response)
  return jar
}

/**
 * Sends a user to the authorization endpoint, and answers the consent page if there is one.
 * @param jar the cookies of a user who is logged in
 * @param options.decision the button to press on the consent page; by default `allow`
 * @returns the URL to which the browser is redirected: the redirect URI with the answer
 * @throws Error when the request is refused, or the user is not logged in
 */
export async function authorize(
  system: Site,
  jar: CookieJar,
  request: AuthorizationRequest,
  { decision = 'allow' }: { decision?: 'allow' | 'deny' } = {},
): Promise<URL> {
  const address = request instanceof URL ? request : `/oauth/authorize?${new URLSearchParams(request)}`
  let response = await browse(system, jar, address)
  if (response.status === 200) {
    const fields = hiddenFields(await response.text())
    response = await submit(system, jar, '/oauth/consent', { ...fields, decision })
  }
  const location = response.headers.get('location')
  if (!location || location.startsWith('/')) throw await unexpected('the authorization request', response)
  return new URL(location)
}

/** The hidden fields of a page's form. */
export function hiddenFields(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, unescapeHtml(value)]))
}

function unescapeHtml(text: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? '')
}

/** The cookies of a browser, as it sends them. */
export function cookieHeader(jar: CookieJar): string {
  return [...jar].map((pair) => pair.join('=')).join('; ')
}

/** Stores the cookies of an answer, and removes those that it ends. @param cookies the values of Set-Cookie */
export function keepCookies(jar: CookieJar, cookies: readonly string[]): void {
  for (const cookie of cookies) {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/s.exec(cookie) ?? []
    const over = /;\s*max-age=0\b/i.test(attributes) || /;\s*expires=Thu, 01 Jan 1970/i.test(attributes)
    if (over) jar.delete(name)
    else jar.set(name, value)
  }
}

async function unexpected(what: string, response: Response): Promise<Error> {
  const location = response.headers.get('location') ?? ''
  return new Error(`${what} was answered ${response.status} ${location} ${await response.text()}`)
}
