/** Kinds of password hashes that are known and not taken: how they begin or look, and their names. */
const kinds: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^\$2x\$/, 'bcrypt of a faulty program ($2x$)'],
  [/^bcrypt_sha256\$|^\$bcrypt-sha256\$/, 'bcrypt of a SHA-256'],
  [/^\$wp\$/, 'bcrypt of WordPress 6.8 ($wp$), which hashes the password before'],
  [/^\$[PH]\$/, 'phpass ($P$, of WordPress, Drupal or phpBB)'],
  [/^U?\$S\$/, 'SHA-512 of Drupal 7 ($S$)'],
  [/^\$firescrypt\$|^\{firescrypt\}/i, 'the scrypt of Firebase, which needs the project’s key'],
  [/^(\{CRYPT\})?\$1\$/, 'MD5-crypt ($1$)'],
  [/^(\{CRYPT\})?\$apr1\$/, 'Apache’s MD5-crypt ($apr1$)'],
  [/^(\{CRYPT\})?\$5\$/, 'SHA-256-crypt ($5$)'],
  [/^(\{CRYPT\})?\$6\$/, 'SHA-512-crypt ($6$)'],
  [/^(\{CRYPT\})?\$(y|gy)\$/, 'yescrypt ($y$)'],
  [/^(\{CRYPT\})?\$7\$/, 'scrypt of crypt ($7$)'],
  [/^\$shiro[12]\$/, 'SHA of Apache Shiro'],
  [/^\{noop\}/i, 'a password itself ({noop}): send it as password'],
  [/^!/, 'Django’s mark of a user without a password: leave password_hash out'],
  [
    /^\{(S?SHA\d*|S?MD5|SMD4|MD4|SHA-\d+|sha256|ldap|CLEAR\w*|CRYPT|pbkdf2[^}]*|scrypt[^}]*)\}/i,
    'that of the label in braces',
  ],
  [/^\$?(md5|sha1|sha256|sha512|ssha\d*|hmac-\w+|unsalted_\w+|crypt|pbkdf1)\$/i, 'a plain or salted digest'],
  [
    /^([\da-f]{32}|[\da-f]{40}|[\da-f]{56}|[\da-f]{64}|[\da-f]{96}|[\da-f]{128})$/i,
    'a digest in hexadecimal',
  ],
]

/** The name of the kind of a hash that is known and not taken. @returns undefined for any other text */
export function unsupportedKind(text: string): string | undefined {
  return kinds.find(([pattern]) => pattern.test(text))?.[1]
}
