/** A password hash that was read. */
export type ReadHash = {
  /** The one text by which it is stored: the PHC string format, or bcrypt's own. */
  text: string
  /** How much memory it takes to compare a password with it, in KiB. */
  memory: number
  /** Whether it takes more than about 100 ms of a core to compare a password with it; one of ours takes 20 ms. */
  slow: boolean
  /** Why it takes too long or too much memory to compare with; the end of a sentence. Such a hash is not imported. */
  excess: string | undefined
  /** Whether a password matches. Compares in constant time, on libuv's threads. */
  matches(password: string): Promise<boolean>
}

/** A kind of password hashes. */
export type HashFormat = {
  /** How its texts begin. */
  begins: RegExp
  /** @returns undefined when a text that begins so is malformed */
  read(text: string): ReadHash | undefined
}

/**
 * The most memory that one hash may take, in KiB: 128 MiB, as OWASP's advice for scrypt and Django's default for argon2 need.
 * The limits of time below are each about half a second of a core.
 */
export const mostMemory = 131_072

/** In bytes. A shorter hash would match other passwords by chance. */
export const shortestHash = 16

/**
 * Decodes base64 of PHC strings: without padding, and nothing else between the characters.
 * @returns undefined when it is malformed, or has fewer or more bytes
 */
export function decode(text: string, least: number, most: number): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]*$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return encode(bytes) === text && bytes.length >= least && bytes.length <= most ? bytes : undefined
}

/** Encodes bytes as PHC strings have them: in base64 without padding. */
export function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
