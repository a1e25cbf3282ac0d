/**
 * Whether a text has this many characters. An endless one is not counted to its end.
 * @param least the fewest, @param most the most; in Unicode characters, of which some are two units of a JS string
 */
export function hasLength(text: string, least: number, most: number): boolean {
  if (text.length > 2 * most) return false
  const length = [...text].length
  return length >= least && length <= most
}

/**
 * A text that is cut where it is certainly longer than allowed, so that an endless one costs nothing more, and that
 * stays too long: cut, it must not become equal to another.
 */
export function cutBeyond(text: string, most: number): string {
  return text.slice(0, 2 * most + 1)
}

/** A text as PostgreSQL can take it: without NUL and without halves of characters. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', ' ')
}

/** In units of a JS string. */
const longestUserAgent = 400
/** IPv6 with a zone needs no more. */
const longestIpAddress = 64

/** What is kept of a browser's name for itself: its first 400 characters. */
export function keptUserAgent(userAgent: string): string {
  return storable(userAgent.slice(0, longestUserAgent))
}

/** What is kept of an IP address: its first 64 characters. */
export function keptIpAddress(ipAddress: string): string {
  return storable(ipAddress.slice(0, longestIpAddress))
}
