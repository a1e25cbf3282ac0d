import { expect, test } from 'vitest'
import {
  comparableRedirectUri,
  isLoopback,
  isRegisteredRedirectUri,
  staysOnDevice,
} from '../../src/clients/redirect-uri.ts'

const registered = [
  'https://app.example/cb',
  'https://app.example/cb?tenant=1',
  'http://127.0.0.1/cb',
  'http://[::1]:3000/cb?x=1',
  'http://localhost:3000/cb',
  'com.example.app:/cb',
]

test.each([
  ...registered,
  'http://127.0.0.1:1/cb',
  'http://127.0.0.1:80/cb',
  'http://127.0.0.1:65535/cb',
  'http://[::1]/cb?x=1',
  'http://[::1]:49152/cb?x=1',
])('accepts %s', (uri) => {
  expect(isRegisteredRedirectUri(uri, registered)).toBe(true)
})

test.each([
  '',
  'https://app.example/cb/',
  'https://app.example/CB',
  'https://APP.example/cb',
  'HTTPS://app.example/cb',
  'https://app.example:443/cb',
  'https://app.example/cb?',
  'https://app.example/cb#',
  'https://app.example/cb#f',
  'https://app.example/cb?tenant=1&tenant=2',
  'https://app.example/x/../cb',
  'https://app.example/%63b',
  'https://app.example/cb ',
  ' https://app.example/cb',
  'https://app.example/cb\n',
  'https://app.example/cb\0',
  'https://app.example.evil.example/cb',
  'https://user@app.example/cb',
  'https://app.example@evil.example/cb',
  'https://аpp.example/cb',
  'http://app.example/cb',
  'http://localhost:3001/cb',
  'http://localhost/cb',
  'https://127.0.0.1:3000/cb',
  'http://127.0.0.2:3000/cb',
  'http://127.1:3000/cb',
  'http://2130706433:3000/cb',
  'http://127.0.0.1:0/cb',
  'http://127.0.0.1:03000/cb',
  'http://127.0.0.1:65536/cb',
  'http://127.0.0.1:/cb',
  'http://127.0.0.1:3000/cb/',
  'http://127.0.0.1:3000/other',
  'http://127.0.0.1:3000/cb?x=1',
  'http://127.0.0.1:3000/cb#f',
  'http://127.0.0.1:3000@evil.example/cb',
  'http://127.0.0.1:3000\\@evil.example/cb',
  'http://127.0.0.1.evil.example/cb',
  'https://evil.example/?http://127.0.0.1:3000/cb',
  'http://127.0.0.1:3000/cb\n',
  'http://[0:0:0:0:0:0:0:1]:3000/cb?x=1',
  'http://[::1]:3000/cb',
  'http://[::]:3000/cb?x=1',
  'com.example.app:/cb/',
  'com.example.app://cb',
])('rejects %j', (uri) => {
  expect(isRegisteredRedirectUri(uri, registered)).toBe(false)
})

test('ignores the port of localhost for clients with a metadata document only', () => {
  for (const port of ['', ':80', ':54212']) {
    const requested = `http://localhost${port}/callback`
    expect(isRegisteredRedirectUri(requested, ['http://localhost/callback'], true)).toBe(true)
    expect(isRegisteredRedirectUri(requested, ['http://localhost:1/callback'])).toBe(false)
  }
  for (const other of [
    'http://localhost:1/other',
    'http://localhost.evil.example:1/callback',
    'http://127.0.0.1:1/callback',
  ])
    expect(isRegisteredRedirectUri(other, ['http://localhost/callback'], true)).toBe(false)
})

test('ignores the port also where nothing follows it', () => {
  expect(isRegisteredRedirectUri('http://127.0.0.1:3000', ['http://127.0.0.1'])).toBe(true)
  expect(isRegisteredRedirectUri('http://127.0.0.1:3000/', ['http://127.0.0.1'])).toBe(false)
})

test.each([
  ['http://127.0.0.1:3000/cb?x=1', false, 'http://127.0.0.1/cb?x=1'],
  ['http://[::1]:3000', false, 'http://[::1]'],
  ['http://localhost:3000/cb', false, 'http://localhost:3000/cb'],
  ['http://localhost:3000/cb', true, 'http://localhost/cb'],
  ['http://127.0.0.1:65536/cb', true, 'http://127.0.0.1:65536/cb'],
  ['https://app.example:3000/cb', true, 'https://app.example:3000/cb'],
])('of %s (of a document: %s) %s must match', (uri, byDocument, comparable) => {
  expect(comparableRedirectUri(uri, byDocument)).toBe(comparable)
})

test.each([
  ['http://127.0.0.1/cb', true],
  ['HTTP://localhost/cb', true],
  ['https://app.example/cb', false],
  ['com.example.http:/cb', false],
])('%s leads to the user’s own device over http: %s', (uri, leads) => {
  expect(isLoopback(uri)).toBe(leads)
})

test('rejects every URI when none is registered', () => {
  expect(isRegisteredRedirectUri('http://127.0.0.1/cb', [])).toBe(false)
})

test.each([
  ['https://app.example/cb', false],
  ['HTTPS://app.example/cb', false],
  ['http://127.0.0.1:3000/cb', true],
  ['http://localhost/cb', true],
  ['com.example.app:/cb', true],
  ['com.example.https:/cb', true],
])('%s stays on the device: %s', (uri, stays) => {
  expect(staysOnDevice(uri)).toBe(stays)
})
