import { Refusal } from '@gatehouse/kit/errors'
import { expect, test } from 'vitest'
import { createKeySet } from '../../src/oauth/key-set.ts'
import { gateway } from '../../testing/gateway.ts'

/** A token service with one key set, and a clock. */
function start() {
  const state = { time: 1_000, body: '{"keys":[]}', reads: 0, away: false }
  const keySet = createKeySet({
    async read() {
      state.reads += 1
      if (state.away) throw new Refusal('temporarily_unavailable')
      return state.body
    },
    monotonicNow: () => state.time,
  })
  return { state, keySet }
}

test('is read at most once a second, and once for requests at the same moment', async () => {
  const { state, keySet } = start()
  const answers = await Promise.all([keySet(), keySet(), keySet()])
  expect(new Set(answers.map(({ document }) => document)).size).toBe(1)
  state.time += 1_000
  await keySet()
  expect(state.reads).toBe(1)
  state.time += 1
  state.body = '{"keys":[{}]}'
  const changed = await keySet()
  expect([state.reads, changed.document.content.toString(), changed.maxAge]).toEqual([
    2,
    '{"keys":[{}]}',
    300,
  ])
  expect(changed.document.etag).not.toBe(answers[0]?.document.etag)
})

test('is given while the token service is away, but nobody uses it for longer than 300 s after it was read', async () => {
  const { state, keySet } = start()
  await keySet()
  state.away = true
  for (const [seconds, maxAge] of [
    [2, 300],
    [3, 297],
    [200, 100],
    [299, 1],
  ] as const) {
    state.time = 1_000 + seconds * 1000
    expect([seconds, (await keySet()).maxAge]).toEqual([seconds, maxAge])
  }
  state.time = 1_000 + 300_000
  await expect(keySet()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  state.away = false
  expect((await keySet()).maxAge).toBe(300)
})

test('is refused with 503 when it was never read', async () => {
  const { state, keySet } = start()
  state.away = true
  const { send } = await gateway({ keySet })
  const answer = await send('GET', '/.well-known/jwks.json')
  expect([answer.status, answer.headers.etag]).toEqual([503, undefined])
})

test('is sent byte for byte as the token service gave it', async () => {
  const { state, keySet } = start()
  state.body = '{"keys":[{"kty":"OKP","kid":"k","crv":"Ed25519","x":"x","use":"sig","alg":"EdDSA"}]}'
  const { send } = await gateway({ keySet })
  const answer = await send('GET', '/.well-known/jwks.json')
  expect([answer.status, answer.text]).toEqual([200, state.body])
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(state.body.length),
    'cache-control': 'public, max-age=300',
  })
  const head = await send('HEAD', '/.well-known/jwks.json')
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', answer.headers.etag])
})

test('is empty, without an ETag, while only HS256 signs', async () => {
  const { send, calls } = await gateway()
  const answer = await send('GET', '/.well-known/jwks.json')
  expect([answer.status, answer.text]).toEqual([200, '{"keys":[]}'])
  expect(answer.headers).not.toHaveProperty('etag')
  expect(answer.headers).not.toHaveProperty('cache-control')
  expect(calls).toEqual([])
})
