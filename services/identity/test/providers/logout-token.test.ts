import { makeKey, signJwt } from '@gatehouse/test/servers/social-openid'
import type { JWK } from 'jose'
import { expect, test } from 'vitest'
import { createLogoutCheck } from '../../src/providers/logout-token.ts'
import type { ReadKeys } from '../../src/providers/provider-keys.ts'

const issuer = 'https://login.example'
const expected = { issuer, clientId: 'gatehouse', keysAt: `${issuer}/keys` }
const [first, second] = [makeKey('first'), makeKey('second')]
const start = 2_000_000_000

/** A check, and the keys that the provider answers. */
function world(...keys: ReturnType<typeof makeKey>[]) {
  const provider = { keys, isDown: false, asked: 0 }
  const logins: { keys: ReadKeys | undefined } = { keys: undefined }
  const clock = { seconds: start }
  const check = createLogoutCheck(
    () => clock.seconds * 1000,
    5_000,
    undefined,
    () => logins.keys,
  )
  const token = (claims: object, key = first) => {
    const about = { iss: issuer, aud: 'gatehouse', iat: clock.seconds, exp: clock.seconds + 60 }
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    return signJwt({ ...about, events, ...claims }, key)
  }
  const end = (sent: string) =>
    check(sent, expected, async () => {
      provider.asked += 1
      if (provider.isDown) return new Response('', { status: 404 })
      return Response.json(setOf(provider.keys))
    })
  return { provider, logins, clock, token, end }
}

function setOf(keys: ReturnType<typeof makeKey>[]) {
  return {
    keys: keys.map(({ kid, privateKey }) => {
      const { kty, n, e } = privateKey.export({ format: 'jwk' })
      return { kty: String(kty), n, e, kid, alg: 'RS256' } as JWK
    }),
  }
}

test('of two tokens at once both count, and the keys are read once', async () => {
  const { provider, token, end } = world(first)
  const ended = await Promise.all(['one', 'two'].map((sid) => end(token({ sid }))))
  expect(ended).toEqual([{ upstreamSession: 'one' }, { upstreamSession: 'two' }])
  expect(provider.asked).toBe(1)
})

test('keys that could not be read are asked for again after five seconds', async () => {
  const { provider, clock, token, end } = world(first)
  provider.isDown = true
  for (let time = 0; time < 2; time += 1) await expect(end(token({ sid: 'one' }))).rejects.toThrow('JWK Set')
  expect(provider.asked).toBe(1)
  provider.isDown = false
  clock.seconds += 5
  expect(await end(token({ sid: 'one' }))).toEqual({ upstreamSession: 'one' })
})

test('unknown keys have the keys read again once a minute at most', async () => {
  const { provider, clock, token, end } = world(first)
  await end(token({ sid: 'one' }))
  provider.keys = [first, second]
  await expect(end(token({ sid: 'two' }, second))).rejects.toThrow('just now')
  expect(provider.asked).toBe(1)
  clock.seconds += 60
  const both = await Promise.all(['two', 'three'].map((sid) => end(token({ sid }, second))))
  expect(both).toEqual([{ upstreamSession: 'two' }, { upstreamSession: 'three' }])
  expect(provider.asked).toBe(2)
})

test('a key that a login has read counts for an hour, without a request', async () => {
  const { provider, logins, clock, token, end } = world(first)
  await end(token({ sid: 'one' }))
  logins.keys = { set: setOf([second]), readAt: start * 1000 }
  expect(await end(token({ sid: 'two' }, second))).toEqual({ upstreamSession: 'two' })
  expect(provider.asked).toBe(1)
  clock.seconds += 3_600
  await expect(end(token({ sid: 'three' }, second))).rejects.toThrow('ERR_JWKS_NO_MATCHING_KEY')
  expect(provider.asked).toBe(2)
})

test('a token names a session, a person, or a session with its person', async () => {
  const { token, end } = world(first)
  expect(await end(token({ sid: 's' }))).toEqual({ upstreamSession: 's' })
  expect(await end(token({ sub: 'ann' }))).toEqual({ issuer, subject: 'ann' })
  expect(await end(token({ sid: 's', sub: 'ann' }))).toEqual({ upstreamSession: 's', issuer, subject: 'ann' })
  await expect(end(token({}))).rejects.toThrow('sub')
})
