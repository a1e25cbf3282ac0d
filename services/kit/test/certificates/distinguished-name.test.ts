import { describe, expect, test } from 'vitest'
import { canonicalNameOf } from '../../src/certificates/distinguished-name.ts'

describe('equal names', () => {
  test.each([
    ['keywords in any case', 'CN=app,O=Acme', 'cn=app,o=Acme'],
    ['object identifiers', 'CN=app,DC=example', '2.5.4.3=app,0.9.2342.19200300.100.1.25=example'],
    ['ASCII letters in any case', 'CN=App,O=ACME', 'CN=app,O=acme'],
    ['spaces around separators', 'CN=app,O=Acme', 'CN = app , O = Acme'],
    ['many spaces', 'O=Acme  Inc', 'O=Acme Inc'],
    ['the parts of one step in any order', 'CN=app+UID=1,O=Acme', 'UID=1+CN=app,O=Acme'],
    ['escaped signs', String.raw`O=Acme\, Inc`, String.raw`O=Acme\2C Inc`],
    ['escaped bytes of UTF-8', 'CN=Lučić', String.raw`CN=Lu\C4\8Di\C4\87`],
    ['bytes of a text', 'CN=foo', 'CN=#0c03666f6f'],
    ['bytes of a text of another type', 'CN=foo', 'CN=#1303666f6f'],
  ])('%s', (_, one, other) => {
    expect(canonicalNameOf(one)).toBeDefined()
    expect(canonicalNameOf(one)).toBe(canonicalNameOf(other))
  })
})

describe('different names', () => {
  test.each([
    ['another order', 'CN=app,O=Acme', 'O=Acme,CN=app'],
    ['a part of several attributes', 'CN=app+O=Acme', 'CN=app,O=Acme'],
    ['one part more', 'CN=app', 'CN=app,O=Acme'],
    ['an escaped separator', String.raw`CN=app\,O=Acme`, 'CN=app,O=Acme'],
    ['the Kelvin sign', 'CN=K', 'CN=\u212a'],
    ['letters that are composed', 'CN=é', 'CN=e\u0301'],
    ['the long s', 'CN=s', 'CN=\u017f'],
    ['letters of full width', 'CN=app', 'CN=\uff41pp'],
    ['bytes that are no text', 'CN=#020101', String.raw`CN=\01`],
    ['a text that looks like bytes', String.raw`CN=\#020101`, 'CN=#020101'],
  ])('%s', (_, one, other) => {
    expect(canonicalNameOf(one)).toBeDefined()
    expect(canonicalNameOf(other)).toBeDefined()
    expect(canonicalNameOf(one)).not.toBe(canonicalNameOf(other))
  })
})

test.each([
  ['nothing', ''],
  ['no attribute', 'app'],
  ['an unknown keyword', 'XY=app'],
  ['a wrong object identifier', '2.=app'],
  ['no value', 'CN='],
  ['an empty part', 'CN=app,,O=Acme'],
  ['a quotation mark', 'CN="app"'],
  ['the end of an escape', 'CN=app\\'],
  ['an unknown escape', String.raw`CN=\app`],
  ['half a letter', String.raw`CN=\C4`],
  ['an odd number of digits', 'CN=#0c03666f6'],
  ['bytes after the value', 'CN=#0c03666f6f00'],
  ['the form of openssl', '/O=Acme/CN=app'],
  ['a hundred and one attributes', Array(101).fill('OU=a').join(',')],
])('refuses %s', (_, text) => {
  expect(canonicalNameOf(text)).toBeUndefined()
})
