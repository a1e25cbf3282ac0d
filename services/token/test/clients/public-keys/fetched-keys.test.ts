import type { RequestListener } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clientKey, keySetOf } from '../assertions/signed.ts'
import { startKeyServer } from './key-server.ts'

const key = clientKey('ES256', { kid: 'a' })
const other = clientKey('ES256', { kid: 'b' })
let at: Awaited<ReturnType<typeof startKeyServer>>
beforeEach(async () => {
  at = await startKeyServer()
  at.state.keys = keySetOf(key)
})
afterEach(() => at.close())

const away: RequestListener = (_request, response) => void response.writeHead(503).end()
const byKid = (kid: string) => ({ kid })

test('reads the keys once, and a request that may not wait only uses what is known', async () => {
  expect(await at.judgedAtOnce(key)).toBe('KeysNeeded')
  expect(at.state.asked).toBe(0)
  expect(await Promise.all([at.judged(key), at.judged(key), at.judged(key)])).toEqual([
    'valid',
    'valid',
    'valid',
  ])
  expect(await at.judgedAtOnce(key)).toBe('valid')
  expect(at.state.asked).toBe(1)
})

test.each<[headers: Record<string, string>, seconds: number]>([
  [{}, 600],
  [{ 'cache-control': 'max-age=120' }, 120],
  [{ 'cache-control': 'max-age=1' }, 60],
  [{ 'cache-control': 'no-store' }, 60],
  [{ 'cache-control': 'max-age=86400' }, 3_600],
])('with %j the keys are used for %i s', async (headers, seconds) => {
  at.state.headers = headers
  await at.judged(key)
  at.pass(seconds * 0.79)
  expect(await at.judgedAtOnce(key)).toBe('valid')
  expect(at.state.asked).toBe(1)
  at.pass(seconds * 0.22)
  expect(await at.judgedAtOnce(key)).toBe('KeysNeeded')
  expect(await at.judged(key)).toBe('valid')
  expect(at.state.asked).toBe(2)
})

test('keys in use are read again before they expire, and a removed one dies by that', async () => {
  await at.judged(key)
  at.state.keys = keySetOf(other)
  at.pass(500)
  expect(await at.judgedAtOnce(key)).toBe('valid')
  await expect.poll(() => at.judgedAtOnce(other, undefined, byKid('b'))).toBe('valid')
  expect(await at.judgedAtOnce(key, undefined, byKid('a'))).toBe('wrong_assertion')
  expect(at.state.asked).toBe(2)
})

test('an unknown kid asks again, but at most every 30 s', async () => {
  await at.judged(key)
  at.state.keys = keySetOf(key, other)
  expect(await at.judged(other, undefined, byKid('b'))).toBe('wrong_assertion')
  expect(at.state.asked).toBe(1)
  at.pass(31)
  expect(await at.judgedAtOnce(other, undefined, byKid('b'))).toBe('KeysNeeded')
  expect(await at.judged(other, undefined, byKid('b'))).toBe('valid')
  for (let index = 0; index < 20; index += 1)
    expect(await at.judged(clientKey(), undefined, byKid(`invented ${index}`))).toBe('wrong_assertion')
  expect(at.state.asked).toBe(2)
})

test('without a kid, a signature of no known key asks again', async () => {
  await at.judged(key)
  at.state.keys = keySetOf(other)
  at.pass(31)
  expect(await at.judged(other)).toBe('valid')
  expect(await at.judged(key)).toBe('wrong_assertion')
})

test('a wrong signature with a known kid asks nobody', async () => {
  await at.judged(key)
  at.pass(31)
  expect(await at.judged(other, undefined, byKid('a'))).toBe('wrong_assertion')
  expect(at.state.asked).toBe(1)
})

test('while the address is away, the keys are used for an hour longer, and nobody waits', async () => {
  await at.judged(key)
  at.state.answer = away
  at.pass(601)
  expect(await at.judged(key)).toBe('valid')
  const { asked } = at.state
  // It is asked again and again meanwhile.
  for (let minute = 0; minute < 58; minute += 1) {
    at.pass(60)
    expect(await at.judgedAtOnce(key)).toBe('valid')
    await expect.poll(() => at.state.asked).toBe(asked + minute + 1)
  }
  at.pass(180)
  expect(await at.judged(key)).toBe('keys_unreachable')
  at.state.answer = undefined
  at.pass(6)
  expect(await at.judged(key)).toBe('valid')
})

test('an address that never answered is asked again after a moment', async () => {
  at.state.answer = away
  expect(await at.judged(key)).toBe('keys_unreachable')
  expect(await at.judged(key)).toBe('keys_unreachable')
  expect(await at.judgedAtOnce(key)).toBe('keys_unreachable')
  expect(at.state.asked).toBe(1)
  at.state.answer = undefined
  at.pass(6)
  expect(await at.judged(key)).toBe('valid')
})

test.each<[what: string, answer: RequestListener, reason: string]>([
  [
    'a redirect',
    (_, response) => response.writeHead(302, { location: `${at.uri}/other` }).end(),
    'redirects are not followed',
  ],
  ['an error', (_, response) => response.writeHead(404).end(), '404'],
  ['no JSON', (_, response) => response.end('<html>'), 'no JSON'],
  ['no key set', (_, response) => response.end('[]'), 'no key set'],
  [
    'more than 64 KiB',
    (_, response) => response.end(JSON.stringify({ keys: [], padding: 'p'.repeat(65_536) })),
    '65536',
  ],
  [
    'more than 20 keys',
    (_, response) => response.end(JSON.stringify({ keys: Array.from({ length: 21 }, () => key.jwk) })),
    'more than 20',
  ],
])('%s gives no keys, and takes those that were known', async (_, answer, reason) => {
  await at.judged(key)
  at.state.answer = answer
  at.pass(601)
  expect(await at.judged(key)).toBe('keys_unreachable')
  expect(at.lines.at(-1)).toMatchObject({ clientId: 'client_a', reason: expect.stringContaining(reason) })
  expect(JSON.stringify(at.lines)).not.toContain('127.0.0.1')
})

test('wrong keys are left out', async () => {
  const jwks = [
    { kty: 'oct', k: 'AAAA' },
    'key',
    { ...key.jwk, x: 'short' },
    { kty: 'EC', crv: 'P-384' },
    other.jwk,
  ]
  at.state.answer = (_, response) => response.end(JSON.stringify({ keys: jwks }))
  expect(await at.judged(other)).toBe('valid')
  expect(await at.judged(key)).toBe('wrong_assertion')
})

test('another address of the client has its keys at once, and those of the old one are gone', async () => {
  await at.judged(key)
  at.state.keys = keySetOf(other)
  const moved = at.client({ revision: 2n, metadata: { jwks_uri: `${at.uri}/moved` } })
  expect(await at.judgedAtOnce(key, moved)).toBe('KeysNeeded')
  expect(await at.judged(key, moved)).toBe('wrong_assertion')
  expect(await at.judgedAtOnce(other, moved)).toBe('valid')
})

test('20 requests wait for the keys of one client, and others do not wait for them', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  at.state.answer = async (_, response) => {
    await ended
    response.end(JSON.stringify(keySetOf(key)))
  }
  const waiting = Array.from({ length: 20 }, () => at.judged(key))
  await expect.poll(() => at.state.asked).toBe(1)
  expect(await at.judged(key)).toBe('temporarily_unavailable')
  at.state.answer = undefined
  expect(await at.judged(key, at.client({ clientId: 'client_b' }))).toBe('valid')
  end()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['valid']))
  expect(await at.judgedAtOnce(key)).toBe('valid')
})

test('200 requests wait for keys in all', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  at.state.answer = async (_, response) => {
    await ended
    response.end(JSON.stringify(keySetOf(key)))
  }
  const clients = Array.from({ length: 10 }, (_, index) => at.client({ clientId: `client_${index}` }))
  const waiting = clients.flatMap((one) => Array.from({ length: 20 }, () => at.judged(key, one)))
  await expect.poll(() => at.state.asked).toBe(10)
  expect(await at.judged(key, at.client({ clientId: 'client_more' }))).toBe('temporarily_unavailable')
  end()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['valid']))
})

test('a slow address is given up', async () => {
  const slow = await startKeyServer({ timeoutMs: 200 })
  slow.state.answer = () => undefined
  try {
    expect(await slow.judged(key)).toBe('keys_unreachable')
  } finally {
    slow.close()
  }
})

test('an address inside the network is not asked, unless operators allow it', async () => {
  const inside = at.client({ metadata: { jwks_uri: 'https://10.0.0.1/jwks' } })
  expect(await at.judged(key, inside)).toBe('keys_unreachable')
  expect(at.lines.at(-1)).toMatchObject({ reason: expect.stringContaining('not allowed') })
})
