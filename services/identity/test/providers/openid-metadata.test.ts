import { expect, test } from 'vitest'
import { createMetadataCache } from '../../src/providers/openid-metadata.ts'
import { ProviderFailure } from '../../src/providers/social-provider.ts'

const issuer = 'https://login.example'
const address = `${issuer}/.well-known/openid-configuration`

/** A cache, and the provider whose answer a test chooses. */
function cacheOf(answer: { text: string; isDown?: boolean }) {
  const clock = { now: 0 }
  const asked: string[] = []
  const cache = createMetadataCache(address, {
    failuresKept: 5_000,
    now: () => clock.now,
    async accept(metadata) {
      if (metadata.issuer !== issuer) throw new ProviderFailure('bad answer', 'another issuer')
    },
  })
  const read = () =>
    cache.read(async (url) => {
      asked.push(url)
      if (answer.isDown) throw new ProviderFailure('unreachable', 'the provider answered 503')
      return new Response(answer.text)
    })
  return { clock, asked, read }
}

const right = JSON.stringify({ issuer })

test('a failure that is remembered is forgotten, also when somebody asks meanwhile', async () => {
  const answer = { text: right, isDown: true }
  const { clock, asked, read } = cacheOf(answer)
  await expect(read()).rejects.toThrow('503')
  clock.now = 1_000
  await expect(read()).rejects.toThrow('503')
  await expect(read()).rejects.toThrow('503')
  expect(asked).toHaveLength(1)
  answer.isDown = false
  clock.now = 5_000
  expect(await read()).toEqual({ issuer })
})

test.each([
  ['another issuer', JSON.stringify({ issuer: 'https://other.example' }), 'another issuer'],
  ['no JSON', '<html>', 'no JSON object'],
  ['a list', '[]', 'no JSON object'],
])('metadata with %s are refused, and not read again for some seconds', async (_, text, reason) => {
  const answer = { text }
  const { clock, asked, read } = cacheOf(answer)
  for (let time = 0; time < 3; time += 1) await expect(read()).rejects.toThrow(reason)
  expect(asked).toHaveLength(1)
  Object.assign(answer, { text: right })
  clock.now = 5_000
  expect(await read()).toEqual({ issuer })
})

test('steps at the same time read metadata once, and later ones not at all for an hour', async () => {
  const { clock, asked, read } = cacheOf({ text: right })
  await Promise.all([read(), read(), read()])
  clock.now = 3_599_999
  await read()
  expect(asked).toHaveLength(1)
  clock.now = 3_600_000
  await read()
  expect(asked).toHaveLength(2)
})

test('of metadata only what is read is kept', async () => {
  const { read } = cacheOf({
    text: JSON.stringify({
      issuer,
      jwks_uri: 'x'.repeat(2_001),
      token_endpoint: { href: 'https://login.example/t' },
      response_types_supported: ['code', 1, ...Array.from({ length: 200 }, () => 'x')],
      authorization_response_iss_parameter_supported: true,
      claims_supported: Array.from({ length: 1_000 }, () => 'x'),
    }),
  })
  const metadata = await read()
  expect(metadata).toMatchObject({ issuer, authorization_response_iss_parameter_supported: true })
  expect(metadata.response_types_supported?.slice(0, 2)).toEqual(['code', 'x'])
  expect(metadata.response_types_supported?.length).toBeLessThanOrEqual(100)
  expect(Object.keys(metadata).sort()).toEqual([
    'authorization_response_iss_parameter_supported',
    'issuer',
    'response_types_supported',
  ])
})
