import { expect, test } from 'vitest'
import { linkIn } from '../src/mails/mail-text.ts'

const issuer = 'https://auth.example'
const ours = `${issuer}/auth/reset?token=a`

test.each([
  ['the link', `Hello\n\n${ours}\n\nBye`, ours],
  ['the link behind a name that is an address', `https://evil.example/\n${ours}`, ours],
  ['none within a line', `Hello ${ours}`, undefined],
  ['none of another host', 'https://auth.example.evil.example/auth/reset', undefined],
  ['none with user information', 'https://auth.example@evil.example/', undefined],
  ['none of another port', 'https://auth.example:8443/auth/reset', undefined],
  ['none without encryption', 'http://auth.example/auth/reset', undefined],
  ['none that is no address', 'https://[auth.example/', undefined],
])('a mail shows %s', (_, text, link) => {
  expect(linkIn(text, issuer)).toBe(link)
})

test('a public base URL with a path has its links below the path', () => {
  const base = 'https://example.com/auth'
  expect(linkIn(`${base}/account/address?token=a`, base)).toBe(`${base}/account/address?token=a`)
  expect(linkIn('https://example.com/authentic', base)).toBeUndefined()
  expect(linkIn('https://example.com/auth/../evil', base)).toBeUndefined()
})
