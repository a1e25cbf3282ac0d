import { encode } from './hash-format.ts'

/** How other systems write the hashes that the formats read. */
type Notation = { pattern: RegExp; write(parts: readonly string[]): string }

/** Base64 of any dialect, as PHC strings have it: passlib writes `.` for `+`, others write the padding. */
const phc = (text: string) => text.replaceAll('.', '+').replace(/=+$/, '')

const ofText = (text: string) => encode(Buffer.from(text))

const notations: readonly Notation[] = [
  // passlib: $pbkdf2-sha256$29000$salt$hash; without a digest it is SHA-1.
  {
    pattern: /^\$pbkdf2(-sha1|-sha256|-sha512|)\$(\d+)\$([^$]+)\$([^$]+)$/,
    write: ([digest, iterations, salt = '', hash = '']) =>
      `$pbkdf2${digest || '-sha1'}$i=${iterations}$${phc(salt)}$${phc(hash)}`,
  },
  // Django: pbkdf2_sha256$870000$salt$hash. Its salts are texts.
  {
    pattern: /^pbkdf2_(sha1|sha256)\$(\d+)\$([^$]+)\$([^$]+)$/,
    write: ([digest, iterations, salt = '', hash = '']) =>
      `$pbkdf2-${digest}$i=${iterations}$${ofText(salt)}$${phc(hash)}`,
  },
  // Django: scrypt$N$salt$r$p$hash
  {
    pattern: /^scrypt\$(\d+)\$([^$]+)\$(\d+)\$(\d+)\$([^$]+)$/,
    write: ([n, salt = '', r, p, hash = '']) =>
      `$scrypt$ln=${Math.log2(Number(n))},r=${r},p=${p}$${ofText(salt)}$${phc(hash)}`,
  },
  // Django writes its own name for the algorithm before the hash.
  { pattern: /^(?:argon2|bcrypt\$)(\$.+)$/, write: ([hash = '']) => hash },
]

/** A hash in the notation of Django or passlib, written as the formats read it. Any other text stays as it is. */
export function standardNotation(text: string): string {
  for (const { pattern, write } of notations) {
    const [found, ...parts] = pattern.exec(text) ?? []
    if (found !== undefined) return write(parts)
  }
  return text
}
