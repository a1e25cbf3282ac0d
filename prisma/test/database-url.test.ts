import { expect, test } from 'vitest'
import { parseDatabaseUrl, requireDatabaseUrl, showDatabaseUrl } from '../src/database-url.ts'
import { asksForWritable, serverUrls } from '../src/server-urls.ts'

test('accepts both of PostgreSQL’s URL schemes unchanged', () => {
  for (const url of [
    'postgresql://u:p@h:1/d',
    'postgres://h/d',
    'postgresql:///d?user=u&host=/run/postgresql',
    'postgresql://u:p@a:5432,b/d?target_session_attrs=read-write',
    'postgresql://h/d?target_session_attrs=any',
  ]) {
    expect(parseDatabaseUrl(` ${url} `)).toBe(url)
  }
})

test.each([
  ['another database', 'mysql://root:s3cret@h/d', /must begin with postgresql:/],
  ['a value that is not a URL', 's3cret', /must begin with postgresql:/],
  ['an unescaped password', 'postgresql://u:s3cret/x@h:y/d', /not a valid URL/],
  ['a percent sign of no character', 'postgresql://u:s3cret@%zz/d', /not a valid URL/],
  ['a second port that is none', 'postgresql://u:s3cret@a:1,b:x/d', /not a valid URL/],
  ['a comma too many', 'postgresql://a,/s3cret', /empty name among its hosts/],
  ['a socket and a host', 'postgresql://u:s3cret@%2Frun,b/d', /sockets or hosts, not both/],
  [
    'a standby',
    'postgresql://u:s3cret@a/d?target_session_attrs=standby',
    /must be read-write or primary or any/,
  ],
  [
    'any of several',
    'postgresql://u:s3cret@a,b/d?target_session_attrs=any',
    /must be read-write or primary, because/,
  ],
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

test.each([
  [
    'postgresql://u:p,%40@a:5432,b/d?x=1,2',
    ['postgresql://u:p,%40@a:5432/d?x=1,2', 'postgresql://u:p,%40@b/d?x=1,2'],
  ],
  ['postgresql://u@[::1]:5432,[fd00::2]/d', ['postgresql://u@[::1]:5432/d', 'postgresql://u@[fd00::2]/d']],
  ['postgresql://%2Frun%2Fa,%2Frun%2Fb/d', ['postgresql://%2Frun%2Fa/d', 'postgresql://%2Frun%2Fb/d']],
  [
    'postgresql:///d?host=/run/a,/run/b&port=1,2',
    ['postgresql:///d?host=%2Frun%2Fa&port=1', 'postgresql:///d?host=%2Frun%2Fb&port=2'],
  ],
  ['postgresql:///d?host=a,b&port=1', ['postgresql:///d?host=a&port=1', 'postgresql:///d?host=b&port=1']],
  ['postgresql://u:a,b@h/d', ['postgresql://u:a,b@h/d']],
])('finds the servers of %s', (url, urls) => {
  expect(serverUrls(parseDatabaseUrl(url))).toEqual(urls)
})

test('asks for a server that accepts writes when there are several, or when the URL says so', () => {
  expect(asksForWritable('postgresql://a,b/d')).toBe(true)
  expect(asksForWritable('postgresql://a/d?target_session_attrs=primary')).toBe(true)
  expect(asksForWritable('postgresql://a/d?target_session_attrs=any')).toBe(false)
  expect(asksForWritable('postgresql://a/d')).toBe(false)
  expect(showDatabaseUrl('postgresql://u:p@a:1,[::1]/d')).toBe('a:1,[::1]:5432/d')
})
