import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { usernamesFor } from '../../src/providers/social-username.ts'
import { usernameFault } from '../../src/users/user.ts'

const namesFor = (name: string) => [...usernamesFor(name, 'google', randomBytes)]

test.each([
  ['octocat', 'octocat'],
  ['Zoë Müller', 'zoe.muller'],
  ['  Ann   Example  ', 'ann.example'],
  ['O’Neil-Smith_2', 'o.neil-smith_2'],
  ['ann@example.com', 'ann.example.com'],
  ['x'.repeat(5_000), 'x'.repeat(60)],
])('%j becomes %j', (name, username) => {
  expect(namesFor(name)[0]).toBe(username)
})

test.each([
  '',
  ' ',
  '...',
  '王小明',
  // Cyrillic letters that look like Latin ones.
  'а'.repeat(3),
  'client_a',
  'admin',
  'ROOT',
  'аdmin\u200b',
  '\u{1F511}',
  '\ud800',
  '\0',
])('uses a fallback name when nothing usable is left of %j', (name) => {
  for (const username of namesFor(name)) expect(username).toMatch(/^(google-user-|dmin)/)
})

test('suggests valid, distinct names, the last ones with a random suffix', () => {
  for (const name of ['octocat', 'x'.repeat(5_000), '王小明']) {
    const names = namesFor(name)
    expect(names.map(usernameFault)).toEqual(names.map(() => undefined))
    expect(new Set(names).size).toBe(names.length)
    expect(names.at(-1)).toMatch(/-[\da-f]{8}$/)
  }
})
