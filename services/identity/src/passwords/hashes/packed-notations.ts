import { encode } from './hash-format.ts'

/** How other systems write the hashes that the formats read. `write` returns undefined for a text that is malformed. */
export type Notation = { pattern: RegExp; write(parts: readonly string[]): string | undefined }

/**
 * Systems that write salt and hash as one text, with settings that only the system knows: those of Spring Security, ASP.NET Core
 * Identity and Atlassian, each with its defaults.
 */
export const packed: readonly Notation[] = [
  // Spring's Pbkdf2PasswordEncoder: the salt, then the hash of 32 bytes, in hexadecimal.
  { pattern: /^\{pbkdf2\}([\da-f]{80})$/i, write: ([text = '']) => joined('sha1', 185_000, hex(text), 8) },
  {
    pattern: /^\{pbkdf2@SpringSecurity_v5_8\}([\da-f]{96})$/i,
    write: ([text = '']) => joined('sha256', 310_000, hex(text), 16),
  },
  // Spring's SCryptPasswordEncoder: the logarithm of N, r and p in one hexadecimal number.
  {
    pattern: /^\{scrypt(?:@SpringSecurity_v(?:4_1|5_8))?\}\$([\da-f]{5,8})\$([^$]+)\$([^$]+)$/i,
    write([numbers = '', salt = '', hash = '']) {
      const all = Number.parseInt(numbers, 16)
      return `$scrypt$ln=${all >>> 16},r=${(all >>> 8) & 255},p=${all & 255}$${bare(salt)}$${bare(hash)}`
    },
  },
  // ASP.NET Core Identity, version 3: a mark, the digest, the iterations and the length of the salt as numbers of four bytes.
  {
    pattern: /^(AQAAAA[A-Za-z0-9+/]*=*)$/,
    write([text = '']) {
      const bytes = Buffer.from(text, 'base64')
      if (bytes.length < 13) return undefined
      const digest = ['sha1', 'sha256', 'sha512'][bytes.readUInt32BE(1)]
      return digest && joined(digest, bytes.readUInt32BE(5), bytes.subarray(13), bytes.readUInt32BE(9))
    },
  },
  // The same, version 2: a zero, the salt, the hash.
  {
    pattern: /^(A[A-P][A-Za-z0-9+/]{64}==)$/,
    write: ([text = '']) => joined('sha1', 1_000, Buffer.from(text, 'base64').subarray(1), 16),
  },
  // Atlassian
  {
    pattern: /^\{PKCS5S2\}([A-Za-z0-9+/]{64})$/,
    write: ([text = '']) => joined('sha1', 10_000, Buffer.from(text, 'base64'), 16),
  },
]

/** PBKDF2 in the PHC string format, of a salt with the hash behind it. @param salt in bytes */
function joined(digest: string, iterations: number, bytes: Buffer, salt: number): string | undefined {
  if (salt === 0 || bytes.length <= salt) return undefined
  return `$pbkdf2-${digest}$i=${iterations}$${encode(bytes.subarray(0, salt))}$${encode(bytes.subarray(salt))}`
}

const hex = (text: string) => Buffer.from(text, 'hex')
const bare = (text: string) => text.replace(/=+$/, '')
