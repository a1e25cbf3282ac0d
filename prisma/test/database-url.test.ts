import { expect, test } from 'vitest'
import { parseDatabaseUrl, requireDatabaseUrl, showDatabaseUrl } from '../src/database-url.ts'

test('both of PostgreSQL’s schemes are taken as they are', () => {
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
  ['no URL at all', 's3cret', /must begin with postgresql:/],
  ['an unescaped password', 'postgresql://u:s3cret/x@h:y/d', /not a valid URL/],
  ['several hosts', 'postgresql://u:s3cret@a:1,b:2/d', /not a valid URL/],
  ['no database', 'postgresql://u:s3cret@h', /names no database/],
])('%s is refused by the variable’s name and without the value', (_case, value, reason) => {
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

test('a missing URL is an error of its own', () => {
  expect(() => requireDatabaseUrl({})).toThrow('OAUTH2_DATABASE_URL is not set')
  expect(() => requireDatabaseUrl({ OAUTH2_DATABASE_URL: ' ' })).toThrow('OAUTH2_DATABASE_URL is not set')
})

test('a URL is shown without user and password', () => {
  expect(showDatabaseUrl('postgresql://u:p%40ss@db.example:6543/gate%2Dhouse?x=y')).toBe(
    'db.example:6543/gate-house',
  )
  expect(showDatabaseUrl('postgresql:///d?host=/run/postgresql')).toBe('/run/postgresql:5432/d')
})
