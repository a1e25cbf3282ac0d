/** Whether a value is a text that PostgreSQL can store: without NUL and without unpaired surrogates. */
export function isStorable(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

/** Makes a text storable in PostgreSQL: without NUL and without unpaired surrogates. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', ' ')
}

/** In UTF-16 code units: enough for IPv6 with a zone. */
const longestIpAddress = 64
/** In UTF-16 code units. */
const longestUserAgent = 400

/** An IP address as it is stored and logged: its first 64 characters, of which none is invisible. */
export function keptIpAddress(ipAddress: string): string {
  return visible(ipAddress, longestIpAddress)
}

/** A User-Agent header as it is stored and logged: its first 400 characters, of which none is invisible. */
export function keptUserAgent(userAgent: string): string {
  return visible(userAgent, longestUserAgent)
}

/** The beginning of a text that a stranger sent. Each control character or mark of direction is its escape, such as `\u{9}`. */
function visible(text: string, longest: number): string {
  const escaped = text
    .slice(0, longest)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
  return storable(escaped.slice(0, longest))
}
