import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { hash as argon2Hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { expect, test } from 'vitest'
import type { ReadHash } from '../../src/passwords/hashes/hash-format.ts'
import { readHash } from '../../src/passwords/hashes/table.ts'
import { isOutdated, isPassword } from '../../src/passwords/password.ts'

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

function read(text: string): ReadHash {
  const result = readHash(text)
  if ('fault' in result) throw new Error(`${text} ${result.fault}`)
  return result
}

// Each was made by the system that is named: samples of its documentation and tests, public sample realms of Keycloak as the
// import writes them, and the output of libxcrypt.
const known: [string, string, string][] = [
  [
    'argon2id of Keycloak 26',
    'password',
    '$argon2id$v=19$m=7168,t=5,p=1$Cf9AYCE5pAbb4CKEF0GUTA$BruFLfFkjH/8erZ26NnrbkOrWiZuQyDRCHD9o0R6Scg',
  ],
  [
    'PBKDF2 of Keycloak 22',
    'password',
    '$pbkdf2-sha256$i=27500$drB9e5Smf3cbfUfF3FUerw$RITBVPdh5pvXOa4JzJ5pZTE0rG96zhnQNmSsKCf83aU',
  ],
  [
    'PBKDF2 of Keycloak 9, whose key is longer than the digest',
    'user1',
    '$pbkdf2-sha256$i=27500$H1Yjwf5UUIip/deJSkNJ+Q$gI7lGJLNUQfn6xcMUtLp0XnOIF3JdaoAj8IogosYZsDg4Q5cFxG5JkJrKZpR7mIG5MxlH346ikZKsiZovvFKDQ',
  ],
  [
    'argon2 of Django',
    'secret',
    'argon2$argon2id$v=19$m=102400,t=2,p=8$Y041dExhNkljRUUy$TMa6A8fPJhCAUXRhJXCXdw',
  ],
  [
    'argon2 of Django before it had a version',
    'secret',
    'argon2$argon2i$m=8,t=1,p=1$c29tZXNhbHQ$gwQOXSNhxiOxPOA0+PY10P9QFO4NAYysnqRt1GSQLE55m+2GYDt9FEjPMHhP2Cuf0nOEXXMocVrsJAtNSsKyfg',
  ],
  [
    'PBKDF2 of Django',
    'lètmein',
    'pbkdf2_sha256$390000$seasalt$8xBlGd3jVgvJ+92hWPxi5ww0uuAuAnKgC45eudxro7c=',
  ],
  ['PBKDF2 with SHA-1 of Django', 'lètmein', 'pbkdf2_sha1$390000$seasalt2$aDapRanzW8aHTz97v2TcfHzWD+I='],
  [
    'scrypt of Django',
    'lètmein',
    'scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw==',
  ],
  [
    'PBKDF2 of passlib',
    'password',
    '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
  ],
  [
    'PBKDF2 with SHA-1 of passlib',
    'Füße & Äpfel',
    '$pbkdf2$20000$DgHgXCtlrFUKAUDIGSOktA$AFoXiIQ.Hj2sCuVJT8EuL/DppOI',
  ],
  [
    'PBKDF2 with SHA-512 of passlib',
    'Füße & Äpfel',
    '$pbkdf2-sha512$25000$N4bQulfqnVNqLcXY.x.jNA$eO047rQi0CaytKcJhZN4FhghVGjI1gasHkHgOJX.k7VW6Tm/DB1wcgJfEf4i.2FeqSwez2JFpMx1.4C7P4lDqg',
  ],
  [
    'scrypt of passlib',
    'password',
    '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
  ],
  ['bcrypt of OpenBSD', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt of PHP', 'rasmuslerdorf', '$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq'],
  ['bcrypt of another alphabet', 'pässword', '$2a$06$abcdefghijklmnopqrstuucAvzVZyxm.jXt0xAt3LTP7vrnE0I5rG'],
  [
    'bcrypt of a password beyond 72 bytes',
    'x'.repeat(80),
    '$2y$05$abcdefghijklmnopqrstuujf8SX2ahXLwp9w/B.Y5XdysS6yR576q',
  ],
  ['bcrypt of Django', 'U*U', 'bcrypt$$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt of Spring', 'password', '{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG'],
  ['bcrypt of an LDAP server', 'U*U', '{CRYPT}$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  [
    'PBKDF2 of Spring',
    'password',
    '{pbkdf2}5d923b44a6d129f3ddf3e3c8d29412723dcbde72445e8ef6bf3b508fbf17fa4ed4d6b99ca763d8dc',
  ],
  [
    'scrypt of Spring',
    'password',
    '{scrypt}$e0801$8bWJaSu2IKSn9Z9kM+TPXfOc/9bdYSrN1oD9qfVThWEwdRTnO7re7Ei+fUZRJ68k9lTyuTeUp4of4g24hHnazw==$OAOec05+bXxvuu/1qZ6NUR+xQYvYv7BeL1QxwRpY5Pc=',
  ],
  [
    'scrypt of Werkzeug',
    'password',
    'scrypt:32768:8:1$G49Rg0i5UUzGblbO$7d9ea919aa8fad6c36ba6fd0f648a427867a12f1cac59279bcdd27fd6ce16bf950b625906fef0910a569b9d3aa1f25755ecf802ab4cb099828ea6d8b5c344243',
  ],
  [
    'PBKDF2 of Werkzeug',
    'password',
    'pbkdf2:sha256:1000$UIQPaRWSWyDXDl02$6f6c25fc06acc45808da7654fb2226540517ae7725a08e59f3d1426f8bb82e86',
  ],
]

test.each(known)('%s matches its password and no other', async (_, password, text) => {
  const hash = read(text)
  expect(hash.excess).toBeUndefined()
  expect(await hash.matches(password)).toBe(true)
  for (const wrong of [`.${password.slice(1)}`, '']) expect(await hash.matches(wrong)).toBe(false)
})

test.each(known)(
  '%s is stored as one text, which is read again and is outdated',
  async (_, password, text) => {
    const { text: stored } = read(text)
    expect(stored).toMatch(/^\$(argon2id?\$v=1[69]|2[aby]|pbkdf2-sha(1|256|512)|scrypt)\$/)
    expect(read(stored).text).toBe(stored)
    expect(isOutdated(stored)).toBe(true)
    expect(await isPassword(stored, password)).toBe(true)
  },
)

const password = 'Zoë’s 🐕 sleeps'
const salt = randomBytes(16)
const made: [string, () => Promise<string> | string][] = [
  ...([0, 1, 2] as const).map((algorithm): [string, () => Promise<string>] => [
    `argon2 of kind ${algorithm}`,
    () => argon2Hash(password, { algorithm, memoryCost: 1_024, timeCost: 2, parallelism: 2 }),
  ]),
  ['argon2 1.0', () => argon2Hash(password, { version: 0, memoryCost: 1_024, timeCost: 2 })],
  ['bcrypt', () => bcryptHash(password, 5)],
  ...['sha1', 'sha256', 'sha512'].map((digest): [string, () => string] => [
    `PBKDF2 with ${digest}`,
    () => `$pbkdf2-${digest}$i=1000$${base64(salt)}$${base64(pbkdf2Sync(password, salt, 1_000, 64, digest))}`,
  ]),
  [
    'scrypt',
    () =>
      `$scrypt$ln=10,r=8,p=2$${base64(salt)}$${base64(scryptSync(password, salt, 32, { N: 1_024, p: 2 }))}`,
  ],
  ...[16, 32, 64].map((length): [string, () => string] => [
    `PBKDF2 of Kratos and RustCrypto, of ${length} bytes`,
    () =>
      `$pbkdf2-sha256$i=1000,l=${length}$${base64(salt)}$${base64(pbkdf2Sync(password, salt, 1_000, length, 'sha256'))}`,
  ]),
  [
    'scrypt of Kratos, which has N itself',
    () =>
      `$scrypt$ln=1024,r=8,p=1$${salt.toString('base64')}$${scryptSync(password, salt, 32, { N: 1_024 }).toString('base64')}`,
  ],
  [
    'argon2 of Spring',
    async () => `{argon2@SpringSecurity_v5_8}${await argon2Hash(password, { memoryCost: 1_024 })}`,
  ],
  [
    'PBKDF2 of Spring 5.8',
    () =>
      `{pbkdf2@SpringSecurity_v5_8}${Buffer.concat([salt, pbkdf2Sync(password, salt, 310_000, 32, 'sha256')]).toString('hex')}`,
  ],
  [
    'PBKDF2 of ASP.NET Core Identity',
    () => {
      const head = Buffer.from([1, 0, 0, 0, 2, 0, 0, 3, 232, 0, 0, 0, 16])
      return Buffer.concat([head, salt, pbkdf2Sync(password, salt, 1_000, 32, 'sha512')]).toString('base64')
    },
  ],
  [
    'PBKDF2 of ASP.NET Identity 2',
    () =>
      Buffer.concat([Buffer.from([0]), salt, pbkdf2Sync(password, salt, 1_000, 32, 'sha1')]).toString(
        'base64',
      ),
  ],
  [
    'PBKDF2 of Atlassian',
    () =>
      `{PKCS5S2}${Buffer.concat([salt, pbkdf2Sync(password, salt, 10_000, 32, 'sha1')]).toString('base64')}`,
  ],
  [
    'PBKDF2 of passlib for LDAP',
    () =>
      `{PBKDF2-SHA512}1000$${base64(salt).replaceAll('+', '.')}$${base64(pbkdf2Sync(password, salt, 1_000, 64, 'sha512')).replaceAll('+', '.')}`,
  ],
]

test.each(made)('a hash of %s that was made just now matches', async (_, make) => {
  const { text, excess } = read(await make())
  expect(excess).toBeUndefined()
  expect(await isPassword(text, password)).toBe(true)
  expect(await isPassword(text, `${password}.`)).toBe(false)
})

const b64 = (bytes: number) => base64(Buffer.alloc(bytes, 7))

test.each([
  ['argon2 with much memory', `$argon2id$v=19$m=131073,t=1,p=1$${b64(16)}$${b64(32)}`],
  ['argon2 with many passes', `$argon2id$v=19$m=65536,t=17,p=1$${b64(16)}$${b64(32)}`],
  ['argon2 with many lanes', `$argon2id$v=19$m=65536,t=1,p=17$${b64(16)}$${b64(32)}`],
  ['argon2 with the largest numbers', `$argon2id$v=19$m=999999999,t=999999999,p=1$${b64(16)}$${b64(32)}`],
  ['bcrypt', `$2b$15$${'a'.repeat(53)}`],
  ['bcrypt of the highest cost', `$2b$31$${'a'.repeat(53)}`],
  ['PBKDF2', `$pbkdf2-sha256$i=2000001$${b64(16)}$${b64(32)}`],
  ['PBKDF2 in Django’s notation', `pbkdf2_sha256$9999999999$seasalt$${b64(32)}=`],
  ['scrypt with much memory', `$scrypt$ln=18,r=8,p=1$${b64(16)}$${b64(32)}`],
  ['scrypt with much work', `$scrypt$ln=14,r=8,p=16$${b64(16)}$${b64(32)}`],
  ['scrypt with the largest numbers', `$scrypt$ln=99,r=9999,p=9999$${b64(16)}$${b64(32)}`],
])('says that the cost is too high: %s', (_, text) => {
  expect(read(text).excess).toMatch(/^has (a cost that is too high|too many iterations): at most /)
})

test.each([
  ['an empty text', ''],
  ['a password', 'correct horse battery staple'],
  ['MD5', '88a434c88cca4e900f7874cd98123f43'],
  ['salted SHA-1 of Django', 'sha1$seasalt$cff36ea83f5706ce9aa7454e63e431fc726b2dc8'],
  ['bcrypt of a digest, as Django has it', `bcrypt_sha256$$2b$12$${'a'.repeat(53)}`],
  ['crypt with SHA-512', '$6$saltsalt$abcdefghijklmnop'],
  ['a long text', `$argon2id$${'x'.repeat(3_000)}`],
])('does not know the kind of %s', (_, text) => {
  expect(readHash(text)).toEqual({ fault: expect.stringMatching(/unknown kind|longer than/) })
})

test.each([
  ['phpass', '$P$B8ZJb1wYzVbQbKmbzPPt3Y5t6B0lQg/'],
  ['WordPress 6.8', `$wp$2y$10$${'a'.repeat(53)}`],
  ['Drupal 7', '$S$DxVn7wubSRzoK9X2pkGx4njeDRkLEgdqPphc2ZXkkb8Viy8JEGf3'],
  ['MD5-crypt', '$1$salt$hash'],
  ['SHA-512-crypt', '{CRYPT}$6$saltsalt$abcdefghijklmnop'],
  ['yescrypt', '$y$j9T$salt$hash'],
  ['Firebase', '$firescrypt$ln=14,r=8,p=1$salt$hash$separator$key'],
  ['bcrypt of a SHA-256', `$bcrypt-sha256$v=2,t=2b,r=12$salt$hash`],
  ['faulty', `$2x$05$${'a'.repeat(53)}`],
  ['{noop}', '{noop}password'],
  ['label', '{SSHA}VqGmTh4e1Ta5tuO8RoFlUTcrNAYdhcBM'],
  ['label', '{MD5}88a434c88cca4e900f7874cd98123f43'],
  ['label', `{pbkdf2@Custom}${'ab'.repeat(40)}`],
  ['digest', '$sha1$pf=e1NBTFR9e1BBU1NXT1JEfQ==$NXM0ODc=$hash'],
  ['hexadecimal', '88a434c88cca4e900f7874cd98123f43'],
  ['without a password', '!kjhkjhkjhkj'],
])('names a kind that it does not take: %s', (name, text) => {
  const result = readHash(text)
  expect(result).toEqual({ fault: expect.stringContaining('unknown kind (') })
  expect(result).toEqual({ fault: expect.stringContaining(name) })
})

test.each([
  `$argon2id$v=19$m=19456,t=2$${b64(16)}$${b64(32)}`,
  `$argon2id$v=19$m=19456,t=0,p=1$${b64(16)}$${b64(32)}`,
  `$argon2id$v=19$m=7,t=1,p=1$${b64(16)}$${b64(32)}`,
  `$argon2id$v=18$m=19456,t=2,p=1$${b64(16)}$${b64(32)}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${b64(7)}$${b64(32)}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${b64(16)}$${b64(15)}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${b64(16)}`,
  `$argon2x$v=19$m=19456,t=2,p=1$${b64(16)}$${b64(32)}`,
  `$pbkdf2-sha256$i=1000,l=31$${b64(16)}$${b64(32)}`,
  `$scrypt$ln=16383,r=8,p=1$${b64(16)}$${b64(32)}`,
  'AQAAAA',
  'AQAAAAIAACcQAAAAEAAA',
  `{bcrypt}$2a$10$short`,
  `$2b$03$${'a'.repeat(53)}`,
  `$2b$10$${'a'.repeat(52)}`,
  `$2b$1$${'a'.repeat(53)}`,
  `$pbkdf2-md5$i=1000$${b64(16)}$${b64(32)}`,
  `$pbkdf2-sha256$i=0$${b64(16)}$${b64(32)}`,
  `$pbkdf2-sha256$i=1000$$${b64(32)}`,
  `$pbkdf2-sha256$i=1000$${b64(16)}$${b64(15)}`,
  `$pbkdf2-sha256$i=1000$${b64(16)}$not base64`,
  `$pbkdf2-sha256$i=1000$${b64(16)}$${b64(32)}$`,
  `$scrypt$ln=0,r=8,p=1$${b64(16)}$${b64(32)}`,
  `$scrypt$ln=16,r=1,p=1$${b64(16)}$${b64(32)}`,
  `$scrypt$ln=14,r=8,p=0$${b64(16)}$${b64(32)}`,
  `scrypt$16383$seasalt$8$1$${b64(64)}`,
])('calls a hash malformed (case %#)', (text) => expect(readHash(text)).toEqual({ fault: 'is malformed' }))

test('a hash of the highest allowed cost can be compared with', async () => {
  const costly = [
    `$scrypt$ln=17,r=8,p=1$${b64(16)}$${b64(32)}`,
    `$argon2id$v=19$m=131072,t=1,p=16$${b64(16)}$${b64(32)}`,
  ]
  for (const text of costly) {
    expect(read(text).excess).toBeUndefined()
    expect(await isPassword(text, 'x')).toBe(false)
  }
})
