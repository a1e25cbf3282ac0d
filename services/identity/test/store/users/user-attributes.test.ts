import {
  attributeSchema,
  type UserAttributeName,
  userAttributeEntries,
} from '@gatehouse/proto/people/user-attributes'
import { describe, expect, test } from 'vitest'
import { attributesOf, changeAttributes, vouchedAttributes } from '../../../src/users/user-attributes.ts'

const name = {
  good: ['Zoë Müller', 'O’Neil, Jr.', '王小明'],
  bad: ['', ' ', 'a\nb', 'a\u202eb', '\u200b', 7, {}],
}
const values: Record<UserAttributeName, { good: readonly unknown[]; bad: readonly unknown[] }> = {
  name: { ...name, bad: [...name.bad, 'x'.repeat(201)] },
  given_name: name,
  family_name: name,
  email: {
    good: ['ann@example.com', "Ann.O'Neil+news@mail.example.co.uk", 'zoë@müller.example', 'root@localhost'],
    bad: [
      ...['', 'ann', '@example.com', 'ann@', 'ann@@example.com', 'a@b@example.com', '.a@example.com'],
      ...['a..b@example.com', 'ann@example..com', 'ann@-a.example', 'ann@exa_mple.com', 'ann@[192.0.2.1]'],
      ...['"ann"@example.com', 'Ann <ann@example.com>', 'ann@example.com,bob@example.com', 'a b@example.com'],
      ...['ann@example.com\r\nBcc: bob@example.com', 'ann\u0000@example.com', 'ann\u200b@example.com'],
      // A program that folds compatibility forms reads another address than we do.
      ...[
        'ann＠example.com',
        'ann@ｅxample.com',
        'ann@example．com',
        'ann\ufe6b@example.com',
        'ﬁ@example.com',
      ],
      // The database takes this capital letter for a small i, and so the address for another one.
      ...['ann@ma\u0130l.example', '\u0130da@example.com'],
      // Unicode NFC makes a semicolon of the Greek question mark.
      ...['ann@example.com\u037ebob@example.com', `${'x'.repeat(65)}@example.com`, `a@${'x'.repeat(253)}`],
      ...['ann@example.com\ud800', 7, ['ann@example.com'], true],
    ],
  },
  email_verified: { good: [], bad: [] },
  picture: {
    good: ['https://pictures.example/ann.png?size=96'],
    bad: [
      ...['', 'http://pictures.example/a', 'javascript:alert(1)', 'data:image/png;base64,AA', '//a/b', 7],
      ...[
        'https://',
        'https://ann:secret@pictures.example/',
        'https://a b',
        `https://a/${'x'.repeat(2_000)}`,
      ],
    ],
  },
  locale: { good: ['en', 'de-CH', 'zh-Hant-TW'], bad: ['', 'en_US', 'english language', '-', 'x', 7] },
  zoneinfo: {
    good: ['Europe/Berlin', 'Asia/Kolkata', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'],
    bad: ['', 'Mars/Olympus', '+01:00', '01', 'asia/kolkata', 'Europe', 7],
  },
}
const change = (stored: object, sent: Record<string, unknown>, author: 'users' | 'administrators') =>
  changeAttributes(stored, sent, author)

test.each(userAttributeEntries)(
  '%s: a valid value is stored, an invalid one is refused by name',
  (name, attribute) => {
    for (const value of values[name].good)
      expect(change({}, { [name]: value }, 'administrators')).toHaveProperty(name, value)
    for (const value of values[name].bad) {
      expect(() => change({}, { [name]: value }, 'administrators'), String(value)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          description: expect.stringMatching(`^${name} .+\\.$`),
        }),
      )
    }
    expect(attributeSchema(attribute)).toHaveProperty('type')
  },
)

test.each([
  ['name', ' Zoe\u0308 ', 'Zoë'],
  ['email', ' zoe\u0308@example.com ', 'zoë@example.com'],
  ['locale', 'DE-ch', 'de-CH'],
  ['zoneinfo', 'europe/berlin', 'Europe/Berlin'],
])('%s is normalised before it is stored', (name, typed, stored) => {
  expect(change({}, { [name]: typed }, 'administrators')).toHaveProperty(name, stored)
})

test('users may set some attributes only; the others are ignored', () => {
  const before = { name: 'Ann', email: 'ann@example.com', email_verified: true }
  const sent = {
    name: 'Anna',
    email: 'x',
    email_verified: 'x',
    locale: 'en',
    admin: true,
    __proto__: { a: 1 },
  }
  expect(change(before, sent, 'users')).toEqual({ ...before, name: 'Anna', locale: 'en' })
  expect(change(before, { email: null, email_verified: false }, 'users')).toEqual(before)
})

describe('a change', () => {
  const before = { name: 'Ann', email: 'ann@example.com', email_verified: true }

  test('keeps what is absent, and marks what was removed so that a social login does not fill it again', () => {
    expect(changeAttributes(before, undefined, 'administrators')).toEqual(before)
    const removed = change(before, { name: null, picture: null }, 'users')
    expect(removed).toEqual({ ...before, name: null })
    expect(change(removed, { name: null }, 'users')).toEqual(removed)
    expect(attributesOf(removed)).toEqual({ email: before.email, email_verified: true })
    expect(attributesOf({ ...removed, gone: 1 })).not.toHaveProperty('gone')
    expect([attributesOf(null), attributesOf(7)]).toEqual([{}, {}])
  })

  test.each([
    ['of the address', { email: 'bob@example.com' }, { email: 'bob@example.com', email_verified: false }],
    [
      'of the address’s case',
      { email: 'Ann@example.com' },
      { email: 'Ann@example.com', email_verified: false },
    ],
    ['that says so', { email: 'bob@example.com', email_verified: true }, { email: 'bob@example.com' }],
    ['to the same address', { email: 'ann@example.com' }, {}],
    ['of the verification', { email_verified: false }, { email_verified: false }],
    ['that removes the verification', { email_verified: null }, { email_verified: false }],
    ['that removes the address', { email: null }, { email: null, email_verified: null }],
  ])('%s verifies no address by accident', (_, sent, after) => {
    expect(change(before, sent, 'administrators')).toEqual({ ...before, ...after })
  })

  test('verifies nothing where there is no address', () => {
    expect(() => change({}, { email_verified: true }, 'administrators')).toThrow('email_verified must not')
    expect(() => change(before, { email: null, email_verified: true }, 'administrators')).toThrow()
    expect(change({}, { email_verified: false }, 'administrators')).toEqual({})
  })
})

test('a provider’s claims are taken where they are valid, and an address only where it is verified', () => {
  const claims = { sub: '1', name: 'Ann', given_name: '', picture: 'http://a/', locale: 'en-us', zoneinfo: 7 }
  expect(vouchedAttributes(claims)).toEqual({ name: 'Ann', locale: 'en-US' })
  const email = 'ann@example.com'
  expect(vouchedAttributes({ email, email_verified: true })).toEqual({ email, email_verified: true })
  for (const verified of [false, undefined, 'true', 1])
    expect(vouchedAttributes({ email, email_verified: verified })).toEqual({})
  expect(vouchedAttributes({ email: 'x', email_verified: true })).toEqual({})
})
