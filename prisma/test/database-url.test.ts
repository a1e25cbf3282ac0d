import { expect, test } from 'vitest'
import { parseDatabaseUrl, requireDatabaseUrl, showDatabaseUrl } from '../src/database-url.ts'

test('accepts both of PostgreSQL’s URL schemes unchanged', () => {
  for (const url of [
    'postgresql://u:p@h:1/d',
    'postgres://h/d',
    'postgresql:///d?user=u&host=/run/postgresql',
  ]) {
    expect(parseDatabaseUrl(` ${url} `)).toBe(url)
  }
})

test.each([
  ['another database', 'mysql://root:s3cret@h/d', /must begin with postgresql:/],
  ['a value that is not a URL', 's3cret', /must begin with postgresql:/],
  ['an unescaped password', 'postgresql://u:s3cret/x@h:y/d', /not a valid URL/],
  ['several hosts', 'postgresql://u:s3cret@a:1,b:2/d', /not a valid URL/],
  ['no database', 'postgresql://u:s3cret@h', /names no database/],
])('refuses %s with the variable’s name and without its value', (_case, value, reason) => {
  let message = ''
  try {
    requireDatabaseUrl({ OAUTH2_DATABASE_URL: value })
  } catch (error) {
    message = String(error)
  }
  expect(message).toMatch(reason)
  expect(message).toContain('OAUTH2_DATABASE_URL')
  expect(message).not.toContain('s3cret')
})

test('reports a missing URL as such', () => {
  expect(() => requireDatabaseUrl({})).toThrow('OAUTH2_DATABASE_URL is not set')
  expect(() => requireDatabaseUrl({ OAUTH2_DATABASE_URL: ' ' })).toThrow('OAUTH2_DATABASE_URL is not set')
})

test('shows a URL without user and password', () => {
  expect(showDatabaseUrl('postgresql://u:p%40ss@db.example:6543/gate%2Dhouse?x=y')).toBe(
    'db.example:6543/gate-house',
  )
  expect(showDatabaseUrl('postgresql:///d?host=/run/postgresql')).toBe('/run/postgresql:5432/d')
})
