import { createHmac, randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import { makeJwt } from '@gatehouse/test/jwt'
import { describe, expect, test } from 'vitest'
import { claims, forged, headerOf, secret, start } from './key-replica.ts'
import { createKeyStore, someActor } from './key-store.ts'

describe('signing', () => {
  test('uses the secret itself before a rotation, and the header names no key', async () => {
    const { signer } = await start(createKeyStore())
    const token = signer.sign(claims)
    expect(headerOf(token)).toEqual({ alg: 'HS256', typ: 'at+jwt' })
    const [input = '', signature] = [token.slice(0, token.lastIndexOf('.')), token.split('.')[2]]
    expect(createHmac('sha256', secret).update(input).digest('base64url')).toBe(signature)
  })

  test('uses the key that HKDF-SHA256 derives from the secret and the header’s kid after a rotation', async () => {
    const { keys, signer } = await start(createKeyStore())
    const [active] = await keys.rotate(someActor)
    const token = signer.sign(claims)
    expect(headerOf(token)).toEqual({ alg: 'HS256', typ: 'at+jwt', kid: active?.kid })
    expect(token).toBe(forged(active?.kid ?? ''))
    expect(signer.verify(token)).toEqual(claims)
  })

  test('allows no new token when the keys were not read for 10 s, until they are read again', async () => {
    const store = createKeyStore()
    const { keys, signer, pass } = await start(store)
    pass(10_000)
    signer.checkFresh()
    pass(1)
    expect(signer.checkFresh).toThrow(expect.objectContaining({ code: 'temporarily_unavailable' }))
    // Verification is not affected.
    expect(signer.verify(forged('x'))).toBeUndefined()
    expect(signer.verify(signer.sign(claims))).toEqual(claims)
    await keys.refresh()
    signer.checkFresh()
  })

  test('counts the duration of a read as time since the last read', async () => {
    const store = createKeyStore()
    const { keys, signer, pass } = await start(store)
    const { promise, resolve } = Promise.withResolvers<void>()
    store.gate = promise
    const reading = keys.refresh()
    await Promise.resolve()
    pass(6_000)
    resolve()
    await reading
    pass(4_000)
    signer.checkFresh()
    pass(1)
    expect(signer.checkFresh).toThrow(Refusal)
  })

  test('signs nothing when no key was ever read', async () => {
    const store = createKeyStore()
    store.forget('default')
    const { signer, activeKeys } = await start(store)
    expect(signer.checkFresh).toThrow(Refusal)
    expect(() => signer.sign(claims)).toThrow(expect.objectContaining({ code: 'temporarily_unavailable' }))
    expect(activeKeys).toEqual([undefined])
  })
})

describe('a rotation', () => {
  test('applies at once on the replica that does it, and on the others with their next read', async () => {
    const store = createKeyStore()
    const [asked, other] = [await start(store), await start(store)]
    await asked.keys.rotate(someActor)
    expect(headerOf(asked.signer.sign(claims)).kid).toBeDefined()
    expect(headerOf(other.signer.sign(claims)).kid).toBeUndefined()
    await other.keys.refresh()
    expect(other.signer.sign(claims)).toBe(asked.signer.sign(claims))
  })

  test('is not undone by a read that began before it and ends after it', async () => {
    const store = createKeyStore()
    const { keys, signer } = await start(store)
    const { promise, resolve } = Promise.withResolvers<void>()
    store.gate = promise
    const reading = keys.refresh()
    const rotating = keys.rotate(someActor)
    resolve()
    const [[active]] = await Promise.all([rotating, reading])
    expect(headerOf(signer.sign(claims)).kid).toBe(active?.kid)
  })

  test('lets the previous key verify for 10 s and a token’s lifetime, and no longer', async () => {
    const store = createKeyStore()
    const { keys, signer, pass } = await start(store)
    const old = signer.sign(claims)
    const [, previous] = await keys.rotate(someActor)
    expect(previous).toMatchObject({ kid: 'default', verifiesFor: 3_610_000 })
    pass(3_609_999)
    expect(signer.verify(old)).toEqual(claims)
    pass(1)
    expect(await signer.verify(old)).toBeUndefined()
    await keys.refresh()
    expect(await signer.verify(old)).toBeUndefined()
  })

  test('that is immediate leaves no earlier token valid', async () => {
    const { keys, signer } = await start(createKeyStore())
    const tokens = [signer.sign(claims)]
    await keys.rotate(someActor)
    tokens.push(signer.sign(claims))
    await keys.rotate(someActor, true)
    for (const token of tokens) expect(await signer.verify(token)).toBeUndefined()
    expect(signer.verify(signer.sign(claims))).toEqual(claims)
  })

  test('changes nothing when it fails, and the next one succeeds', async () => {
    const store = createKeyStore()
    const { keys, signer } = await start(store)
    store.gate = Promise.reject(new Refusal('temporarily_unavailable'))
    store.gate.catch(() => undefined)
    await expect(keys.rotate(someActor)).rejects.toThrow(Refusal)
    expect(headerOf(signer.sign(claims)).kid).toBeUndefined()
    store.gate = Promise.resolve()
    await keys.rotate(someActor)
    expect(headerOf(signer.sign(claims)).kid).toBeDefined()
  })

  test('gives two keys when two happen at once, and the earlier key still verifies', async () => {
    const { keys, signer } = await start(createKeyStore())
    const [first, second] = await Promise.all([keys.rotate(someActor), keys.rotate(someActor)])
    expect(second.map(({ kid }) => kid)).toEqual([second[0]?.kid, first[0]?.kid, 'default'])
    expect(signer.verify(forged(first[0]?.kid ?? ''))).toEqual(claims)
  })

  test('reports the creation time of the active key each time', async () => {
    const store = createKeyStore()
    const { keys, activeKeys, pass } = await start(store)
    pass(7_000)
    await keys.rotate(someActor)
    expect(activeKeys.map((active) => active?.createdAt.getTime())).toEqual([0, 7_000])
  })
})

describe('a kid that a replica does not know', () => {
  /** Starts a replica that has not yet read the key with which another one signs. */
  async function behind() {
    const store = createKeyStore()
    const [replica, other] = [await start(store), await start(store)]
    await other.keys.rotate(someActor)
    store.reads = 0
    return { store, replica, token: other.signer.sign(claims) }
  }

  test('is looked up only once, however many tokens have it', async () => {
    const { store, replica, token } = await behind()
    const answers = await Promise.all(Array.from({ length: 50 }, () => replica.signer.verify(token)))
    expect(answers).toEqual(Array(50).fill(claims))
    expect(store.reads).toBe(1)
    // Now the replica knows it.
    expect(replica.signer.verify(token)).toEqual(claims)
  })

  test('is not missed because of a read that began before the key existed', async () => {
    const store = createKeyStore()
    const [replica, other] = [await start(store), await start(store)]
    const { promise, resolve } = Promise.withResolvers<void>()
    store.gate = promise
    const reading = replica.keys.refresh()
    await Promise.resolve()
    store.gate = Promise.resolve()
    await other.keys.rotate(someActor)
    const verifying = replica.signer.verify(other.signer.sign(claims))
    resolve()
    await reading
    expect(await verifying).toEqual(claims)
  })

  test('is remembered as unknown for a minute', async () => {
    const store = createKeyStore()
    const { signer, pass } = await start(store)
    const token = forged(randomUUIDv7())
    expect(await signer.verify(token)).toBeUndefined()
    expect(store.reads).toBe(2)
    for (let count = 0; count < 20; count += 1) expect(signer.verify(token)).toBeUndefined()
    expect(store.reads).toBe(2)
    pass(60_001)
    expect(await signer.verify(token)).toBeUndefined()
    expect(store.reads).toBe(3)
  })

  test('is not looked up when the signature is wrong', async () => {
    const store = createKeyStore()
    const { signer } = await start(store)
    const kids = Array.from({ length: 1_000 }, () => randomUUIDv7())
    for (const kid of kids) {
      expect(signer.verify(forged(kid, 'another secret of thirty-two bytes'))).toBeUndefined()
    }
    const header = { alg: 'HS256', typ: 'at+jwt', kid: randomUUIDv7() }
    expect(signer.verify(makeJwt(header, claims, secret))).toBeUndefined()
    expect(store.reads).toBe(1)
  })

  test('is temporarily_unavailable when it cannot be looked up, and is looked up again later', async () => {
    const { store, replica, token } = await behind()
    store.gate = Promise.reject(new Refusal('temporarily_unavailable'))
    store.gate.catch(() => undefined)
    await expect(replica.signer.verify(token)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    store.gate = Promise.resolve()
    expect(await replica.signer.verify(token)).toEqual(claims)
  })

  test('costs bounded memory: the oldest unknown kids are forgotten first', async () => {
    const store = createKeyStore()
    const { signer } = await start(store)
    const first = forged(randomUUIDv7())
    const last = forged(randomUUIDv7())
    await signer.verify(first)
    const others = Array.from({ length: 1_000 }, () => forged(randomUUIDv7()))
    await Promise.all(others.map((token) => signer.verify(token)))
    await signer.verify(last)
    store.reads = 0
    await signer.verify(last)
    expect(store.reads).toBe(0)
    await signer.verify(first)
    expect(store.reads).toBe(1)
  })
})
