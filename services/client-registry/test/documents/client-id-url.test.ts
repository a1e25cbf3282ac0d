import { expect, test } from 'vitest'
import { clientIdUrlFault } from '../../src/documents/client-id-url.ts'
import { documentLifetime } from '../../src/documents/document-lifetime.ts'

test.each([
  'https://app.example/client',
  'https://app.example/',
  'https://app.example:8443/oauth/client.json',
  'https://APP.example/a%20b',
  'https://app.example/client?version=1',
  'https://[2001:db8::1]/client',
  'https://app.example/a..b/.well-known/c',
  'https://app.example/'.padEnd(255, 'x'),
])('a client_id may be %s', (clientId) => {
  expect(clientIdUrlFault(clientId)).toBeUndefined()
})

test.each([
  ['https://app.example/'.padEnd(256, 'x'), 'longer'],
  ['https://app.example', 'path'],
  ['https://app.example?a=b', 'path'],
  ['https:app.example/client', 'URL'],
  ['https:///client', 'host'],
  ['HTTPS://app.example/client', 'URL'],
  ['http://app.example/client', 'URL'],
  ['https://app.example/client#part', 'fragment'],
  ['https://app.example/client#', 'fragment'],
  ['https://user@app.example/client', 'user name'],
  ['https://user:password@app.example/client', 'user name'],
  ['https://@app.example/client', 'user name'],
  ['https://app.example/./client', 'dot segment'],
  ['https://app.example/a/../client', 'dot segment'],
  ['https://app.example/a/..', 'dot segment'],
  ['https://app.example/%2e/client', 'dot segment'],
  ['https://app.example/%2E%2e/client', 'dot segment'],
  ['https://app.example/.%2E', 'dot segment'],
  ['https://app.example\\client/x', 'character'],
  ['https://app.example/a b', 'character'],
  ['https://app.example/a\tb', 'character'],
  ['https://app.example/\n', 'character'],
  ['https://app.example/\u007f', 'character'],
  ['https://b\u00fccher.example/client', 'character'],
  ['https://app.example/%zz', 'percent'],
  ['https://ex%61mple.com/client', 'host or port'],
  ['https://app.example:/client', 'host or port'],
  ['https://app.example:99999/client', 'host or port'],
  ['https://a_b;c/client', 'host or port'],
])('a client_id may not be %j', (clientId, fault) => {
  expect(clientIdUrlFault(clientId)).toContain(fault)
})

test.each([
  [{}, 60],
  [{ 'cache-control': 'max-age=300' }, 300],
  [{ 'cache-control': 'public, Max-Age="300"' }, 300],
  [{ 'cache-control': 'max-age=300', age: '100' }, 200],
  [{ 'cache-control': 'max-age=5' }, 60],
  [{ 'cache-control': 'max-age=9999999999' }, 86_400],
  [{ 'cache-control': 'max-age=3000, no-store' }, 60],
  [{ 'cache-control': 'no-cache' }, 60],
  [{ 'cache-control': 'max-age=-1' }, 60],
  [{ 'cache-control': 's-maxage=3000' }, 60],
])('a document with %j is fresh for %i s', (headers, seconds) => {
  expect(documentLifetime(headers)).toBe(seconds)
})
