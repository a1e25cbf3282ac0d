/** In characters. */
export const longestUrl = 2_000

/** The URL parser takes more in a host, such as `*`. */
const webOrigin = /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/

/** Whether a text is an http or https origin in the one form that browsers send (RFC 6454 section 6.2). */
export function isWebOrigin(text: string): boolean {
  return text.length <= longestUrl && webOrigin.test(text) && URL.parse(text)?.origin === text
}

/** Letters, digits, dots and hyphens, with a port. */
const plainHost = /^[a-z0-9.-]+(:\d+)?$/

/**
 * Whether a Content-Security-Policy can name the host of an address. The URL parser takes `;`, `,` and `*` in a host, which
 * would be more of the policy than a source (Content Security Policy Level 3, section 2.3.1).
 */
export function hasPlainHost({ host }: Pick<URL, 'host'>): boolean {
  return plainHost.test(host)
}

/** The origins of web pages, each once. Only http and https have one; that of any other address is `null`, which many pages share. */
export function webOriginsOf(addresses: readonly string[]): string[] {
  const origins = addresses.flatMap((address) => {
    const url = URL.parse(address)
    return url && ['https:', 'http:'].includes(url.protocol) ? [url.origin] : []
  })
  return [...new Set(origins)]
}
