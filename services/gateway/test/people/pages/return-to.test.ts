import fc from 'fast-check'
import { expect, test } from 'vitest'
import { returnPath } from '../../../src/people/pages/return-to.ts'

test.each([
  '/',
  '/account',
  '/admin?tab=keys',
  '/oauth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=%2F%2Fevil%5C',
  '/account?next=//evil.example',
  '/account?next=https://evil.example',
  '/%2f%2fevil.example',
  '/%5cevil.example',
  '/@evil.example',
  '/a//evil.example',
])('%s is a path of this server', (path) => {
  expect(returnPath(path)).toBe(path)
})

test.each([
  ['nothing', undefined],
  ['nothing at all', ''],
  ['a path without a slash', 'account'],
  ['a query alone', '?a=b'],
  ['an address', 'https://evil.example/'],
  ['an address without slashes', 'https:evil.example'],
  ['an address with one slash', 'https:/evil.example'],
  ['a script', 'javascript:alert(1)'],
  ['data', 'data:text/html,x'],
  ['another host', '//evil.example'],
  ['another host with userinfo', '//auth.example@evil.example'],
  ['userinfo', 'https://user:pass@evil.example'],
  ['three slashes', '///evil.example'],
  ['two backslashes', '\\\\evil.example'],
  ['a slash and a backslash', '/\\evil.example'],
  ['a backslash and a slash', '\\/evil.example'],
  ['a backslash further on', '/a\\..\\\\evil.example'],
  ['another host after dot segments', '/..//evil.example'],
  ['another host after an encoded dot', '/%2e//evil.example'],
  ['another host after a segment and back', '/a/..//evil.example'],
  ['another host after a dot and an encoded dot', '/a/.%2E//evil.example'],
  ['a tab', '/\t/evil.example'],
  ['a line break', '/\n/evil.example'],
  ['a carriage return and a header', '/account\r\nSet-Cookie: a=b'],
  ['a tab before', '\t//evil.example'],
  ['a space before', ' //evil.example'],
  ['a space', '/a b'],
  ['a NUL', '/\0/evil.example'],
  ['a slash-like character', '/\u2215evil.example'],
  ['a full-width slash', '/\uff0fevil.example'],
  ['a byte order mark', '\ufeff//evil.example'],
  ['a path too long for the address of the login page', `/${'a'.repeat(12_288)}`],
  ['a path too long when it is encoded', `/${'/a'.repeat(4_000)}`],
])('%s is refused', (_, value) => {
  expect(returnPath(value)).toBeUndefined()
})

test('the fragment is dropped', () => {
  expect(returnPath('/account#//evil.example')).toBe('/account')
})

const tricky = fc
  .array(
    fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        '.',
        '..',
        '%2e',
        '%2F',
        '%5C',
        '%09',
        '@',
        ':',
        'https:',
        'javascript:',
        '?',
        '#',
      ],
      ...[
        'evil.example',
        '[::1]',
        'a',
        '\t',
        '\n',
        '\r',
        '\0',
        ' ',
        '\u2215',
        '\u3002',
        '\u202e',
        ';',
        '&',
        '=',
      ],
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''))

test('every accepted path stays on this server’s origin, whatever it is resolved against, and fits in a header', () => {
  let paths = 0
  fc.assert(
    fc.property(
      fc.oneof(
        tricky,
        tricky.map((text) => `/${text}`),
        fc.string(),
        fc.webUrl(),
      ),
      (value) => {
        const path = returnPath(value)
        if (path === undefined) return
        paths += 1
        expect(path).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
        for (const base of ['https://auth.example/auth/login', 'http://localhost:8080/a/b/c?d']) {
          expect(new URL(path, base).origin).toBe(new URL(base).origin)
        }
        expect(returnPath(path)).toBe(path)
      },
    ),
    { numRuns: 3_000 },
  )
  expect(paths).toBeGreaterThan(100)
})
