import { createHmac, timingSafeEqual } from 'node:crypto'

/** A time step, in seconds (RFC 6238 section 4.1). */
export const stepSeconds = 30

const digits = 6

/** In bytes: as long as the output of SHA-1 (RFC 4226 section 4). */
export const seedLength = 20

/** How many steps an authenticator's clock may be off (RFC 6238 section 5.2). */
const drift = 1

/**
 * The code of a time step (RFC 6238 section 4, RFC 4226 section 5.3), with SHA-1, the only hash that every app knows.
 * @param step the number of steps since the Unix epoch
 */
export function totpCode(seed: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', seed).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * Finds the time step of a code. It compares with every step that is allowed, so that the time does not tell which one it is.
 * @param typed as the user typed it, perhaps with spaces
 * @param now milliseconds since the Unix epoch
 * @returns the latest step whose code it is, at most `drift` away from now; undefined when it is the code of none
 */
export function stepOfCode(seed: Uint8Array, typed: string, now: number): number | undefined {
  const code = typed.slice(0, 100).replace(/\s/g, '')
  if (!/^\d{6}$/.test(code)) return undefined
  const current = Math.floor(now / 1000 / stepSeconds)
  const steps = Array.from({ length: 2 * drift + 1 }, (_, index) => current - drift + index)
  return steps.filter((step) => timingSafeEqual(Buffer.from(totpCode(seed, step)), Buffer.from(code))).at(-1)
}

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A seed in base32 without padding (RFC 4648 section 6), as apps take it when it is typed. */
export function base32(seed: Uint8Array): string {
  const bits = [...seed].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => base32Alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

/**
 * The URI that apps read from a QR code (the Key URI format of Google Authenticator).
 * @param issuer the name that apps show beside the user's name
 */
export function totpUri(
  seed: Uint8Array,
  { issuer, username }: { issuer: string; username: string },
): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username)}`
  const parameters = `secret=${base32(seed)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${parameters}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`
}
