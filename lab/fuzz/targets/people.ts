import { browserOf } from '@gatehouse/kit/people/browser'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { readAttribute, userAttributeEntries } from '@gatehouse/proto/people/user-attributes'
import fc from 'fast-check'
import { checkImportedUser } from '../../../services/identity/src/accounts/user-import-check.ts'
import { recoveryCodeDigest } from '../../../services/identity/src/factors/recovery-code.ts'
import { stepOfCode, totpCode } from '../../../services/identity/src/factors/totp.ts'
import { readHash } from '../../../services/identity/src/passwords/hashes/table.ts'
import { usernamesFor } from '../../../services/identity/src/providers/social-username.ts'
import { usernameFault } from '../../../services/identity/src/users/user.ts'
import { vouchedAttributes } from '../../../services/identity/src/users/user-attributes.ts'
import { json, objects, texts } from '../inputs.ts'
import { must, target } from '../target.ts'

const words = texts(
  [
    'ann',
    '@',
    'example',
    '.',
    'com',
    ' ',
    'İ',
    'ﬁ',
    'ａ',
    '\u200d',
    '\u0301',
    'client_',
    '-',
    'Europe/Berlin',
    'de-CH',
  ],
  fc.constantFrom(
    'ann',
    'ann@example.com',
    'https://a.example/p.png',
    'de-CH',
    'Europe/Berlin',
    'Asia/Kolkata',
  ),
)

/** Names and attributes of people: what is taken once is taken again, unchanged. */
const attributes = target({
  name: 'user-words',
  reads: [
    'identity/src/users/user.ts#usernameFault',
    'identity/src/providers/social-username.ts#usernamesFor',
    'proto/people/user-attributes.ts#readAttribute',
  ],
  inputs: words,
  check(text) {
    if (usernameFault(text) === undefined)
      must(text.trim() === text && !/^client_/i.test(text), 'an invalid name')
    for (const name of usernamesFor(text, 'google', (count) => Buffer.alloc(count, 7)))
      must(usernameFault(name) === undefined, 'a name that nobody may have')
    for (const [name, attribute] of userAttributeEntries) {
      const read = readAttribute(attribute, text, visibleTextFault)
      if ('fault' in read) continue
      const again = readAttribute(attribute, read.value, visibleTextFault)
      must(
        'value' in again && again.value === read.value,
        `a value of ${name} that is another the second time`,
      )
      must(attribute.kind !== 'email' || /^[^@\s<>"]+@[^@\s<>"]+$/.test(String(read.value)), 'no address')
    }
  },
})

const claims = objects(
  Object.fromEntries(userAttributeEntries.map(([name]) => [name, fc.oneof(words, fc.boolean())])),
)

/** The claims of social providers about a person. */
const social = target({
  name: 'social-claims',
  reads: ['identity/src/users/user-attributes.ts#vouchedAttributes'],
  inputs: claims,
  check(sent) {
    const taken = vouchedAttributes(sent)
    must(taken.email === undefined || sent.email_verified === true, 'an address that nobody verified')
  },
})

const account = objects({
  provider: fc.constantFrom('google', 'facebook'),
  subject: words,
  displayName: words,
})
const users = fc.record({
  ...{
    username: words,
    userId: fc.constantFrom(undefined, '01990000-0000-4000-8000-000000000001', 'x'),
    attributes: claims,
  },
  ...{
    passwordHash: fc.constantFrom(undefined, '$2b$10$x'),
    password: fc.option(words, { nil: undefined }),
    disabled: fc.boolean(),
    admin: fc.boolean(),
  },
  ...{
    createdAt: fc.option(fc.integer(), { nil: undefined }),
    socialAccounts: fc.array(account, { maxLength: 3 }),
  },
})

/** Users of other systems: valid ones, or a sentence. */
const imported = target({
  name: 'user-import',
  reads: ['identity/src/accounts/user-import-check.ts#checkImportedUser'],
  inputs: users,
  check({ createdAt, ...user }) {
    // The gateway's schema lets only texts through.
    const socialAccounts = user.socialAccounts.map(({ provider, subject, displayName }) => ({
      provider: typeof provider === 'string' ? provider : '',
      subject: typeof subject === 'string' ? subject : '',
      displayName: typeof displayName === 'string' ? displayName : '',
    }))
    const created = createdAt === undefined ? undefined : new Date(createdAt)
    const checked = checkImportedUser(
      { ...user, socialAccounts, createdAt: created },
      { allowAdmins: false, now: () => 1_800_000_000_000 },
    )
    if (typeof checked === 'string') must(/^[\w .,;:]+/.test(checked) && checked.length < 400, 'no sentence')
    else
      must(!checked.admin && usernameFault(checked.username) === undefined, 'a user who may not be created')
  },
})

const salt = 'c29tZXNhbHQ'
const hash = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const hashes = texts(
  [
    ...[
      '$',
      '$argon2id',
      '$v=19',
      '$m=',
      '8',
      '64',
      ',t=',
      '1',
      ',p=',
      '01',
      `$${salt}`,
      `$${hash}`,
      '$2b$04$',
    ],
    ...[
      '$scrypt$ln=',
      ',r=',
      ',p=',
      '$pbkdf2-sha256$i=',
      'pbkdf2_sha256$',
      'scrypt$',
      '2',
      '99',
      'argon2',
      'bcrypt$',
    ],
  ],
  fc.constantFrom(
    `$argon2id$v=19$m=64,t=1,p=1$${salt}$${hash}`,
    `$argon2i$m=64,t=1,p=2$${salt}$${hash}`,
    `$scrypt$ln=1,r=1,p=1$${salt}$${hash}`,
    `scrypt$2$salt$1$1$${hash}=`,
    `$pbkdf2-sha256$i=2$${salt}$${hash}`,
    `pbkdf2_sha1$2$salt$${hash}=`,
    `$pbkdf2$2$${salt}$${hash}`,
    `$2b$04$${'a'.repeat(53)}`,
    `bcrypt$$2b$04$${'a'.repeat(53)}`,
  ),
)

/** The most that a hash may cost to be compared with here, in KiB and in the numbers of its text. */
const cheap = 1_024

/** Password hashes of other systems: one that is taken can be compared with, and is stored by a text that is taken again. */
const passwordHashes = target({
  name: 'password-hash',
  reads: ['identity/src/passwords/hashes/table.ts#readHash'],
  inputs: hashes,
  async check(text) {
    const read = readHash(text)
    if ('fault' in read) return
    const again = readHash(read.text)
    must(!('fault' in again) && again.text === read.text, 'a text that is another the second time')
    const numbers = (read.text.match(/[=$]\d+/g) ?? []).map((number) => Number(number.slice(1)))
    const isCheap =
      read.memory <= cheap && numbers.every((number) => number <= 50) && !/\$2.\$(0[6-9]|[1-9])/.test(text)
    if (read.excess === undefined && isCheap) must((await read.matches('x')) === false, 'a hash that matches')
  },
})

const seed = Buffer.alloc(20, 3)
const now = 1_767_323_045_000
const right = [-1, 0, 1].map((drift) => totpCode(seed, Math.floor(now / 30_000) + drift))

/** Codes that people type: only the right ones are right. */
const codes = target({
  name: 'typed-code',
  reads: [
    'identity/src/factors/totp.ts#stepOfCode',
    'identity/src/factors/recovery-code.ts#recoveryCodeDigest',
  ],
  inputs: texts(
    [...right, '0', '123456', ' ', '１', '-', 'abcd', 'o', 'I', 'L'],
    fc.constantFrom(...right, 'abcd-efgh-jkmn-pqrs'),
  ),
  check(typed) {
    const step = stepOfCode(seed, typed, now)
    must((step !== undefined) === right.includes(typed.slice(0, 100).replace(/\s/g, '')), 'another code')
    must(recoveryCodeDigest(typed)?.length !== 0, 'an empty digest')
  },
})

/** The longest header that the gateway takes is 16 KiB. */
const longestHeader = 16_384

/** The header User-Agent. */
const browsers = target({
  name: 'user-agent',
  reads: ['kit/src/people/browser.ts#browserOf'],
  inputs: texts(
    [
      'Mozilla/5.0',
      ' ',
      '(',
      ')',
      ';',
      'Chrome/',
      'Safari/',
      '140.0',
      'Windows NT 10.0',
      'iPhone',
      'bot',
      'Opera',
      '/',
      '.',
      '1',
    ],
    fc.constant(
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    ),
  ),
  check(header) {
    const { name, device } = browserOf(header.slice(0, longestHeader))
    must((name ?? '').length < 60 && (device ?? '').length < 60, 'a long name, which the header chose')
  },
})

/** Any JSON where an object is expected. */
const anything = target({
  name: 'social-claims-of-any-kind',
  reads: ['identity/src/users/user-attributes.ts#vouchedAttributes'],
  inputs: json(3),
  check(sent) {
    vouchedAttributes(Object(sent))
  },
})

/** Targets of what people and other systems say of people. */
export const peopleTargets = [attributes, social, imported, passwordHashes, codes, browsers, anything]
