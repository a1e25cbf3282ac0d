import { randomUUIDv7 } from 'node:crypto'
import { makeJwt } from '@gatehouse/test/jwt'
import { describe, expect, test } from 'vitest'
import { claims, derived, forged, secret, start } from './key-replica.ts'
import { createKeyStore, someActor } from './key-store.ts'

describe('a manipulated kid', () => {
  const some = randomUUIDv7()
  test.each<[string, unknown]>([
    ['default', 'default'],
    ['empty', ''],
    ['null', null],
    ['a number', 1],
    ['a list', [some]],
    ['an object', { kid: some }],
    ['a path', '../../../../dev/null'],
    ['an injection', "' or 1=1 --"],
    ['__proto__', '__proto__'],
    ['a UUID of another version', '6f1f3c6e-5a0f-4b3c-9d57-1c2b3a4d5e6f'],
    ['in capitals', some.toUpperCase()],
    ['with a line break', `${some}\n`],
    ['with text after it', `${some}x`],
    ['of 6,000 characters', 'a'.repeat(6_000)],
  ])('that is %s is rejected without a look-up, even with a valid signature', async (_, kid) => {
    const store = createKeyStore()
    const { signer } = await start(store)
    for (const key of [secret, derived(String(kid).slice(0, 1_000))]) {
      expect(signer.verify(makeJwt({ alg: 'HS256', typ: 'at+jwt', kid }, claims, key))).toBeUndefined()
    }
    expect(store.reads).toBe(1)
  })

  test.each<[string, (kid: string) => object | string]>([
    ['alg none', (kid) => ({ alg: 'none', typ: 'at+jwt', kid })],
    ['another algorithm', (kid) => ({ alg: 'HS512', typ: 'at+jwt', kid })],
    ['another order', (kid) => ({ kid, alg: 'HS256', typ: 'at+jwt' })],
    ['a second kid', (kid) => `{"alg":"HS256","typ":"at+jwt","kid":"default","kid":"${kid}"}`],
    ['white space', (kid) => `{"alg":"HS256","typ":"at+jwt","kid":"${kid}"} `],
    [
      'an escape',
      (kid) => `{"alg":"HS256","typ":"at+jwt","kid":"\\u00${kid.charCodeAt(0).toString(16)}${kid.slice(1)}"}`,
    ],
  ])('in a header with %s is rejected, even if the key exists', async (_, header) => {
    const { keys, signer } = await start(createKeyStore())
    const [active] = await keys.rotate(someActor)
    const kid = active?.kid ?? ''
    expect(signer.verify(forged(kid))).toEqual(claims)
    const token = makeJwt(header(kid), claims, derived(kid))
    expect(signer.verify(token)).toBeUndefined()
    expect(signer.verify(token.replace(/[^.]*$/, ''))).toBeUndefined()
  })

  test('that exists is rejected with the signature of another key or of the secret', async () => {
    const { keys, signer } = await start(createKeyStore())
    const [[first], [second]] = [await keys.rotate(someActor), await keys.rotate(someActor)]
    const header = { alg: 'HS256', typ: 'at+jwt', kid: second?.kid }
    for (const key of [secret, derived(first?.kid ?? ''), derived('default'), '']) {
      expect(signer.verify(makeJwt(header, claims, key))).toBeUndefined()
    }
    const plain = { alg: 'HS256', typ: 'at+jwt' }
    expect(signer.verify(makeJwt(plain, claims, derived(second?.kid ?? '')))).toBeUndefined()
  })

  test('rejects every earlier token after a change of the secret, including those of derived keys', async () => {
    const store = createKeyStore()
    const before = await start(store)
    const tokens = [before.signer.sign(claims)]
    await before.keys.rotate(someActor)
    tokens.push(before.signer.sign(claims))
    const after = await start(store, { itsSecret: `${secret}!` })
    for (const token of tokens) expect(await after.signer.verify(token)).toBeUndefined()
    expect(after.signer.verify(after.signer.sign(claims))).toEqual(claims)
  })
})
