import { encode } from './hash-format.ts'
import { type Notation, packed } from './packed-notations.ts'

/** Base64 of any dialect, as PHC strings have it: passlib writes `.` for `+`, others write the padding. */
const phc = (text: string) => text.replaceAll('.', '+').replace(/=+$/, '')

const ofText = (text: string) => encode(Buffer.from(text))
const ofHex = (text: string) => encode(Buffer.from(text, 'hex'))

const notations: readonly Notation[] = [
  // passlib: $pbkdf2-sha256$29000$salt$hash; without a digest it is SHA-1, as it is for RustCrypto.
  {
    pattern: /^\$pbkdf2(-sha1|-sha256|-sha512|)\$(?:i=)?(\d+)\$([^$]+)\$([^$]+)$/,
    write: ([digest, iterations, salt = '', hash = '']) =>
      `$pbkdf2${digest || '-sha1'}$i=${iterations}$${phc(salt)}$${phc(hash)}`,
  },
  // Kratos and RustCrypto say the length of the hash, too.
  {
    pattern: /^\$pbkdf2(-sha1|-sha256|-sha512|)\$i=(\d+),l=(\d+)\$([^$]+)\$([^$]+)$/,
    write: ([digest, iterations, length, salt = '', hash = '']) =>
      Buffer.from(phc(hash), 'base64').length === Number(length)
        ? `$pbkdf2${digest || '-sha1'}$i=${iterations}$${phc(salt)}$${phc(hash)}`
        : undefined,
  },
  // passlib for LDAP: {PBKDF2-SHA256}29000$salt$hash
  {
    pattern: /^\{PBKDF2(-SHA256|-SHA512|)\}(\d+)\$([^$]+)\$([^$]+)$/,
    write: ([digest = '', iterations, salt = '', hash = '']) =>
      `$pbkdf2${digest.toLowerCase() || '-sha1'}$i=${iterations}$${phc(salt)}$${phc(hash)}`,
  },
  // Django: pbkdf2_sha256$870000$salt$hash. Its salts are texts.
  {
    pattern: /^pbkdf2_(sha1|sha256)\$(\d+)\$([^$]+)\$([^$]+)$/,
    write: ([digest, iterations, salt = '', hash = '']) =>
      `$pbkdf2-${digest}$i=${iterations}$${ofText(salt)}$${phc(hash)}`,
  },
  // Werkzeug: pbkdf2:sha256:600000$salt$hash and scrypt:32768:8:1$salt$hash, the hash in hexadecimal.
  {
    pattern: /^pbkdf2:(sha1|sha256|sha512):(\d+)\$([^$]+)\$((?:[\da-f]{2})+)$/,
    write: ([digest, iterations, salt = '', hash = '']) =>
      `$pbkdf2-${digest}$i=${iterations}$${ofText(salt)}$${ofHex(hash)}`,
  },
  {
    pattern: /^scrypt:(\d+):(\d+):(\d+)\$([^$]+)\$((?:[\da-f]{2})+)$/,
    write: ([n, r, p, salt = '', hash = '']) =>
      `$scrypt$ln=${Math.log2(Number(n))},r=${r},p=${p}$${ofText(salt)}$${ofHex(hash)}`,
  },
  // Django: scrypt$N$salt$r$p$hash
  {
    pattern: /^scrypt\$(\d+)\$([^$]+)\$(\d+)\$(\d+)\$([^$]+)$/,
    write: ([n, salt = '', r, p, hash = '']) =>
      `$scrypt$ln=${Math.log2(Number(n))},r=${r},p=${p}$${ofText(salt)}$${phc(hash)}`,
  },
  // Kratos writes N itself as ln. No logarithm has three digits, since N would be larger than all memory.
  {
    pattern: /^\$scrypt\$(?:ln|[nN])=(\d{3,10}),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/,
    write: ([n, r, p, salt = '', hash = '']) =>
      `$scrypt$ln=${Math.log2(Number(n))},r=${r},p=${p}$${phc(salt)}$${phc(hash)}`,
  },
  {
    pattern: /^\$scrypt\$ln=(\d{1,2}),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/,
    write: ([ln, r, p, salt = '', hash = '']) => `$scrypt$ln=${ln},r=${r},p=${p}$${phc(salt)}$${phc(hash)}`,
  },
  {
    pattern: /^(\$argon2(?:id|i|d)\$(?:v=\d+\$)?[^$]+)\$([^$]+)\$([^$]+)$/,
    write: ([settings, salt = '', hash = '']) => `${settings}$${phc(salt)}$${phc(hash)}`,
  },
  ...packed,
]

/** Names that some systems write before a hash which the formats read: Django, Spring, and LDAP servers. */
const labels =
  /^(?:argon2(?=\$argon2)|bcrypt\$(?=\$2)|\{(?:bcrypt|argon2(?:@SpringSecurity_v5_(?:2|8))?|ARGON2|CRYPT|BCRYPT)\}(?=\$(?:2|argon2)))/

/**
 * A hash in the notation of another system, written as the formats read it. Any other text stays as it is.
 * @returns undefined when it is malformed
 */
export function standardNotation(text: string): string | undefined {
  const bare = text.replace(labels, '')
  for (const { pattern, write } of notations) {
    const [found, ...parts] = pattern.exec(bare) ?? []
    if (found !== undefined) return write(parts)
  }
  return bare
}
