import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { accessTokenHeader, claimsOf, makeJwt } from '@gatehouse/test/jwt'
import { credentialsOf, introspectionOf, issueToken, untilReady } from '@gatehouse/test/oauth'
import {
  type RegisteredClient,
  sharedSecrets,
  sharedTestSystem,
  type TestSystem,
} from '@gatehouse/test/system'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'

const { jwtSecret: secret } = sharedSecrets
const inactive = '{"active":false}'

let system: TestSystem
let client: RegisteredClient
let other: RegisteredClient
let token: string
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  client = await system.register()
  other = await system.register({ grant_types: ['client_credentials'], scope: 'read write profile email' })
  token = await issueToken(system, client)
})
afterEach(async () =>
  expect(JSON.parse(await introspectionOf(system, token))).toMatchObject({ active: true }),
)

const revoke = async (presented: string, by = client) => {
  const response = await system.form('/oauth/revoke', { token: presented, ...credentialsOf(by) })
  return [response.status, await response.text()]
}

/** Expects that a token is inactive, and that revoking it changes nothing. */
async function expectWorthless(forged: string): Promise<void> {
  expect(await introspectionOf(system, forged)).toBe(inactive)
  expect(await revoke(forged)).toEqual([200, '{}'])
}

/** The claims of a token that was never issued, with some changed. */
function claimsWith(changes: Record<string, unknown>): Record<string, unknown> {
  return { ...claimsOf(token), jti: randomUUIDv7(), ...changes }
}
const signed = (payload: unknown, header: object | string = accessTokenHeader) =>
  makeJwt(header, payload, secret)

test('a token signed by these tests equals the real one, so the refusals mean something', () => {
  expect(signed(Buffer.from(token.split('.')[1] as string, 'base64url').toString())).toBe(token)
})

describe('a forged or damaged token', () => {
  const payload = () => claimsOf(token)
  const parts = () => token.split('.') as [string, string, string]
  test.each<[string, () => string]>([
    ['signed by another secret', () => makeJwt(accessTokenHeader, payload(), `${secret}!`)],
    ['signed by the empty secret', () => makeJwt(accessTokenHeader, payload(), '')],
    [
      'with alg none and no signature',
      () => `${signed(payload(), { alg: 'none', typ: 'at+jwt' }).replace(/\.[^.]*$/, '')}.`,
    ],
    ['with alg none and a signature', () => signed(payload(), { alg: 'none', typ: 'at+jwt' })],
    ['with alg nOnE', () => signed(payload(), { alg: 'nOnE', typ: 'at+jwt' })],
    ['with alg RS256', () => signed(payload(), { alg: 'RS256', typ: 'at+jwt' })],
    ['with HS512', () => makeJwt({ alg: 'HS512', typ: 'at+jwt' }, payload(), secret, 'sha512')],
    ['with typ JWT', () => signed(payload(), { alg: 'HS256', typ: 'JWT' })],
    ['without typ', () => signed(payload(), { alg: 'HS256' })],
    ['with an unknown kid', () => signed(payload(), { ...accessTokenHeader, kid: '../../dev/null' })],
    ['with its own key', () => signed(payload(), { ...accessTokenHeader, jwk: { kty: 'oct', k: 'AAAA' } })],
    ['with a header in another order', () => signed(payload(), { typ: 'at+jwt', alg: 'HS256' })],
    ['with a header that is not JSON', () => signed(payload(), 'nonsense')],
    ['without a signature', () => `${parts()[0]}.${parts()[1]}.`],
    ['without signature and dot', () => `${parts()[0]}.${parts()[1]}`],
    ['of one part', () => parts()[1]],
    ['of four parts', () => `${token}.a`],
    ['of dots', () => '...'],
    [
      'as JSON serialization',
      () => JSON.stringify({ protected: parts()[0], payload: parts()[1], signature: parts()[2] }),
    ],
    ['with padding', () => `${token}=`],
    ['with white space after it', () => `${token} `],
    ['with white space before it', () => ` ${token}`],
    ['with a line break', () => token.replace('.', '.\n')],
    ['in base64', () => Buffer.from(token).toString('base64')],
    ['with the prefix Bearer', () => `Bearer ${token}`],
    ['of 60 KB', () => signed(claimsWith({ padding: 'a'.repeat(43_000) }))],
    ['of 60 KB of nothing', () => 'a'.repeat(60_000)],
    ['of 60 KB of dots', () => '.'.repeat(60_000)],
    ['that is not ASCII', () => 'tökén.ü.😀'],
    ['that is a number', () => '0'],
  ])('%s is inactive', (_, forged) => expectWorthless(forged()))

  test('cut anywhere is inactive', async () => {
    for (let length = 1; length < token.length; length += 23) await expectWorthless(token.slice(0, length))
    await expectWorthless(token.slice(0, -1))
  })

  test('with one bit of its signature changed, or its signature spelled differently, is inactive', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(token.at(-1) as string)
    // 43 characters carry 258 bits, so the last two bits are unused: four characters decode to the same bytes.
    for (const changed of [last ^ 1, last ^ 2, last ^ 3, last ^ 4, last ^ 32]) {
      await expectWorthless(token.slice(0, -1) + alphabet[changed])
    }
    const [header, payload, signature] = parts()
    for (const position of [0, 10, 31]) {
      const bytes = Buffer.from(signature, 'base64url')
      bytes[position] = (bytes[position] as number) ^ 1
      await expectWorthless(`${header}.${payload}.${bytes.toString('base64url')}`)
    }
  })
})

describe('a token with a valid signature', () => {
  const now = Math.floor(Date.now() / 1000)
  const without = (claim: string) => {
    const { [claim]: _, ...rest } = claimsWith({})
    return rest
  }
  test.each<[string, () => unknown]>([
    ['that was never issued', () => claimsWith({})],
    ...['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'scope', 'client_id'].map(
      (claim): [string, () => unknown] => [`without ${claim}`, () => without(claim)],
    ),
    ['of another issuer', () => claimsWith({ iss: 'https://evil.example' })],
    ['with a jti that is not a UUID', () => claimsWith({ jti: "' or 1=1 --" })],
    ['with an empty jti', () => claimsWith({ jti: '' })],
    ['with a UUID of another version', () => claimsWith({ jti: randomUUID() })],
    ['with a UUID in capitals', () => claimsWith({ jti: claimsOf(token).jti.toUpperCase() })],
    ['with a list of jtis', () => claimsWith({ jti: [claimsOf(token).jti] })],
    ['with exp as a text', () => claimsWith({ jti: claimsOf(token).jti, exp: String(claimsOf(token).exp) })],
    ['with another exp', () => claimsWith({ jti: claimsOf(token).jti, exp: claimsOf(token).exp + 1 })],
    ...[0, -1, now, now - 1, now + 0.5, 2 ** 31, 2 ** 32, 2 ** 53, 1e21, 1e308, null, true, [now + 60]].map(
      (exp): [string, () => unknown] => [`with exp ${exp}`, () => claimsWith({ exp })],
    ),
    ['with exp 1e999', () => JSON.stringify(claimsWith({ exp: 0 })).replace('"exp":0', '"exp":1e999')],
    ['with a day that has no partition', () => claimsWith({ exp: now + 400 * 86_400 })],
    ['whose payload is null', () => null],
    ['whose payload is a list', () => []],
    ['whose payload is a number', () => 1],
    ['whose payload is a text', () => '"text"'],
    ['whose payload is not JSON', () => 'nonsense'],
    ['whose payload is empty', () => ''],
    ['whose payload is deep', () => '['.repeat(2_000)],
    ['whose payload is not UTF-8', () => '\ud800'],
    ['with NULs', () => claimsWith({ aud: 'a\0', scope: '\0', sub: '\0' })],
  ])('%s is inactive', (_, payload) => expectWorthless(signed(payload())))

  test.each([
    ['scope', 'read write profile email admin'],
    ['sub', 'somebody else'],
    ['client_id', 'another client'],
  ])('that uses a real token’s row with another %s is inactive', async (claim, value) => {
    // Somebody who holds the secret can verify tokens, but not create them.
    const forged = signed({ ...claimsOf(token), [claim]: value })
    const answer = JSON.parse(await introspectionOf(system, forged))
    expect(answer[claim]).not.toEqual(value)
  })

  test('that uses a real token’s row cannot revoke it for another client', async () => {
    const real = await issueToken(system, client)
    const forged = signed({ ...claimsOf(real), client_id: other.client_id, sub: other.client_id })
    await revoke(forged, other)
    expect(JSON.parse(await introspectionOf(system, real)).active).toBe(true)
  })
})
