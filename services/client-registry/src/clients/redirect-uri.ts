/** In characters. */
const longest = 2_048

/** http URIs of the user's own machine, where http is safe (RFC 8252 section 8.3). */
const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?]|$)/i

/**
 * A private-use scheme is a domain name in reverse order, so it has a dot (RFC 8252 section 7.1) and begins with a top-level domain: only
 * letters, unlike `x-apple.` or `ms-settings.`.
 */
const privateUseScheme = /^([a-z]{2,63}|xn--[a-z0-9-]{2,59})(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+:$/

/** Schemes that a top-level domain is called like, so that reversed domain names may begin with them. */
const topLevelDomains = new Set(['chrome:', 'data:', 'market:', 'mk:', 'news:', 'skype:'])

/** A private-use scheme of one word, such as `cursor:`, which apps use although it may collide with another app's. */
const bareScheme = /^[a-z][a-z0-9+-]*:$/

/**
 * Schemes of one word that browsers and systems give a meaning of their own: a redirect would run code, show a local file or
 * start another program.
 */
const takenSchemes = new Set(
  `
  about afp android-app applescript blob callto chrome chrome-extension cid content data dav devtools
  edge facetime feed file filesystem ftp ftps geo git gopher help http https imap intent irc jar
  javascript jnlp ldap ldaps livescript mailto market mid mk mms mocha moz-extension ms-settings news
  nfs nntp opera pop res resource rtsp safari-extension sftp shell sip sips skype smb sms ssh svn tel
  telnet urn vbscript view-source vnc wais webcal ws wss xmpp
  `
    .trim()
    .split(/\s+/)
    .map((scheme) => `${scheme}:`),
)

/** The beginnings of further such schemes: browsers and systems have many, and add more. */
const takenBeginnings = /^((ms|x|microsoft|search|chrome|com|web)[+-]|googlechrome|itms|moz|edge)/

/** Which redirect URIs a server takes besides those that every server takes. */
export type RedirectUriRules = {
  /** Whether a private-use scheme may be one word without a dot. */
  readonly bareSchemes: boolean
}

/** Stricter than the URL parser, which accepts `;`, `*` and more in a host: they would be special in a header or a page. */
const hostName = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/

/** The characters of a URI (RFC 3986): no space, no control character, nothing that must be percent-encoded. */
const uriCharacters = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/

/** The response adds these to the query (RFC 6749 sections 4.1.2 and 4.1.2.1, RFC 9207), and none may appear twice. */
const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/**
 * Whether a client may register this redirect URI (RFC 6749 section 3.1.2, RFC 8252 sections 7 and 8), or this address for
 * redirects after a logout (OpenID Connect RP-Initiated Logout section 3).
 * @returns the fault of the URI, as the end of "redirect_uris[0] …", or undefined
 */
export function redirectUriFault(uri: string, { bareSchemes }: RedirectUriRules): string | undefined {
  if (uri.length > longest) return `is longer than ${longest} characters`
  if (!uriCharacters.test(uri)) return 'has a character that a URI cannot have'
  if (uri.includes('#')) return 'has a fragment'
  if (/%(?![\da-f]{2})/i.test(uri)) return 'has a malformed percent-encoding'
  const url = URL.parse(uri)
  if (url === null) return 'is not an absolute URI'
  if (/^[^:]+:(\/\/)?$/.test(uri)) return 'has nothing after its scheme'
  if (hasUserinfo(uri)) return 'has a user name or password in it'
  const ours = responseParameters.find((name) => url.searchParams.has(name))
  if (ours) return `has the parameter ${ours} in its query, which is reserved for the response`
  if (url.protocol === 'https:') {
    if (!hasAuthority(uri)) return 'has no host'
    return hostName.test(url.hostname) ? undefined : 'has a host that is not a valid host name'
  }
  if (url.protocol === 'http:') {
    // Checks the text, because the URL parser reads http://2130706433 and http://127.1 as 127.0.0.1, and others do not.
    return loopback.test(uri) ? undefined : 'is http: only localhost, 127.0.0.1 and [::1] may be; use https'
  }
  const { protocol } = url
  const isTaken = takenSchemes.has(protocol) || takenBeginnings.test(protocol)
  const isBare = bareSchemes && bareScheme.test(protocol) && !isTaken
  return isBare || isPrivateUse(protocol)
    ? undefined
    : 'has a scheme that is not allowed: https, or a private-use scheme with a dot such as com.example.app'
}

/** Whether a scheme is one with a dot that no system handles itself, such as `x-apple.systempreferences:` or `file.x:`. */
function isPrivateUse(protocol: string): boolean {
  if (!privateUseScheme.test(protocol)) return false
  const first = `${protocol.slice(0, protocol.indexOf('.'))}:`
  return !takenSchemes.has(first) || topLevelDomains.has(first)
}

// The URL parser repairs `https:example.com` and drops an empty `@`, but later the text itself is compared.
function hasAuthority(uri: string): boolean {
  return /^https:\/\/[^/?]/i.test(uri)
}

function hasUserinfo(uri: string): boolean {
  return /^[a-z0-9+.-]+:\/\/[^/?]*@/i.test(uri)
}
