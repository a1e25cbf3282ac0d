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

/** An IP address as it is stored: its first 64 characters. */
export function keptIpAddress(ipAddress: string): string {
  return storable(ipAddress.slice(0, longestIpAddress))
}
