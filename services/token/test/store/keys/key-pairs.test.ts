import type { KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
import { decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { claims } from '../../keys/key-replica.ts'
import { someActor } from '../../keys/key-store.ts'
import { useKeyPairs } from './key-pair-replicas.ts'

const { shared, newReplica, start, states, stateOf, makeDue, audit } = useKeyPairs()
const kidOf = (token: string) => decodeProtectedHeader(token).kid

describe('the first start', () => {
  test('makes one active key of each algorithm, even of several replicas at once', async () => {
    const algorithms: KeyPairAlgorithm[] = ['ES256', 'RS256', 'EdDSA', 'PS256']
    const replicas = Array.from({ length: 4 }, () => newReplica({ algorithms }))
    await Promise.all(replicas.map(({ rotation }) => rotation.prepare()))
    const keys = await states()
    expect(keys.map(({ algorithm, state }) => [algorithm, state])).toEqual(
      algorithms.toSorted().map((algorithm) => [algorithm, 'active']),
    )
    for (const { keys: own, signer } of replicas) {
      expect(own.published().map(({ kid }) => kid)).toEqual(keys.map(({ kid }) => kid))
      expect(await replicas[0]?.signer.verify(await signer.sign(claims))).toEqual(claims)
    }
    expect(await audit()).toEqual([])
  })

  test('makes no key of an algorithm that is off, and cannot sign with one', async () => {
    const { jwts } = await start()
    expect((await states()).map(({ algorithm }) => algorithm)).toEqual(['ES256'])
    await expect(jwts.signJwt({ algorithm: 'RS256', type: 'JWT', claims })).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    })
  })

  test('makes a key later if an algorithm has lost its own', async () => {
    const replica = await start()
    await shared.query('truncate token.signing_key_pairs')
    await replica.rotation.refresh()
    expect(kidOf(await replica.signer.sign(claims))).toBe((await states())[0]?.kid)
  })
})

describe('a rotation', () => {
  test('publishes a staged key, which signs only when its time has come, once, whichever replica sees it', async () => {
    const [one, other] = [await start(), await start()]
    const before = kidOf(await one.signer.sign(claims))
    const token = await one.signer.sign(claims)
    const [staged, active] = await one.rotation.rotate({ immediately: false }, someActor)
    expect([staged?.state, active?.state, active?.kid]).toEqual(['staged', 'active', before])
    const stagedFor = Number(staged?.activatesAt) - Number(staged?.createdAt)
    expect(Math.abs(stagedFor - 310_000)).toBeLessThan(1_000)
    for (const replica of [one, other]) {
      await replica.rotation.refresh()
      expect(replica.keys.published().map(({ kid }) => kid)).toEqual([staged?.kid, before])
      expect(kidOf(await replica.signer.sign(claims))).toBe(before)
    }
    expect([...one.events, ...other.events]).toEqual([])

    await makeDue()
    await Promise.all([one, other, one, other].map(({ rotation }) => rotation.refresh()))
    for (const replica of [one, other]) {
      expect(kidOf(await replica.signer.sign(claims))).toBe(staged?.kid)
      expect(await replica.signer.verify(token)).toEqual(claims)
      expect(replica.keys.published().map(({ kid }) => kid)).toEqual([staged?.kid, before])
    }
    expect([await stateOf(staged?.kid), await stateOf(before)]).toEqual(['active', 'retiring'])
    expect([...one.events, ...other.events]).toEqual([
      { type: 'signing_key_rotated', metadata: { kid: staged?.kid, algorithm: 'ES256' } },
    ])
  })

  test('is verified by a replica that still has the key as a staged one', async () => {
    const [one, other] = [await start(), await start()]
    await one.rotation.rotate({ immediately: false }, someActor)
    await other.rotation.refresh()
    await makeDue()
    await one.rotation.refresh()
    expect(await other.signer.verify(await one.signer.sign(claims))).toEqual(claims)
  })

  test('stages one key however often it is asked, also on two replicas at once', async () => {
    const [one, other] = [await start(), await start()]
    const answers = await Promise.all(
      [one, other, one, other].map(({ rotation }) => rotation.rotate({ immediately: false }, someActor)),
    )
    const kids = new Set(answers.map(([staged]) => staged?.kid))
    expect(kids.size).toBe(1)
    expect((await states()).map(({ state }) => state)).toEqual(['staged', 'active'])
    const [{ before, after, ...entry } = {}, ...more] = await audit()
    expect(more).toEqual([])
    const [staged, active] = answers[0] ?? []
    expect(entry).toEqual({ action: 'signing_key.rotate', target: staged?.kid })
    expect(before).toEqual({ algorithm: 'ES256', active: active?.kid })
    expect(after).toEqual({
      ...{ algorithm: 'ES256', active: active?.kid, staged: staged?.kid },
      activates_at: staged?.activatesAt?.toISOString(),
    })
  })

  test('lets the previous key verify as long as its tokens may live, not only until the next rotation', async () => {
    const replica = await start()
    const token = await replica.signer.sign(claims)
    for (let round = 0; round < 3; round += 1) {
      await replica.rotation.rotate({ immediately: false }, someActor)
      await makeDue()
      await replica.rotation.refresh()
    }
    expect((await states()).map(({ state }) => state)).toEqual(['active', 'retiring', 'retiring', 'retiring'])
    expect(await replica.signer.verify(token)).toEqual(claims)

    const kid = kidOf(token)
    const [{ left } = {}] = await shared.query(
      `select extract(epoch from verifies_until - now())::int as left from token.signing_key_pairs where kid = $1`,
      [kid],
    )
    expect(left).toBeGreaterThan(3_590)
    await shared.query('update token.signing_key_pairs set verifies_until = now() where kid = $1', [kid])
    await replica.rotation.refresh()
    expect(await replica.signer.verify(token)).toBeUndefined()
    expect(replica.keys.published().map((key) => key.kid)).not.toContain(kid)
    expect(await replica.store.deleteExpired()).toBe(1)
    expect(await states()).toHaveLength(3)
  })

  test('of an algorithm that is off is refused, and changes nothing', async () => {
    const { rotation } = await start()
    for (const algorithm of ['RS256', 'HS256', 'none', '']) {
      await expect(rotation.rotate({ algorithm, immediately: true }, someActor)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('ES256'),
      })
    }
    expect(await states()).toHaveLength(1)
    expect(await audit()).toEqual([])
  })
})

describe('an immediate rotation', () => {
  test('signs with the new key and takes no token of any earlier one, also of a staged or retiring one', async () => {
    const [one, other] = [await start(), await start()]
    const tokens = [await one.signer.sign(claims)]
    await one.rotation.rotate({ immediately: false }, someActor)
    await makeDue()
    await one.rotation.refresh()
    tokens.push(await one.signer.sign(claims))
    await one.rotation.rotate({ immediately: false }, someActor)
    const [active, ...rest] = await other.rotation.rotate({ immediately: true }, someActor)
    expect([active?.state, rest]).toEqual(['active', []])
    expect(await states()).toEqual([{ kid: active?.kid, algorithm: 'ES256', state: 'active' }])
    await one.rotation.refresh()
    for (const replica of [one, other]) {
      for (const token of tokens) expect(await replica.signer.verify(token)).toBeUndefined()
      expect(kidOf(await replica.signer.sign(claims))).toBe(active?.kid)
      expect(replica.keys.published().map(({ kid }) => kid)).toEqual([active?.kid])
    }
    expect((await audit()).at(-1)).toMatchObject({
      target: active?.kid,
      after: { active: active?.kid, withdrawn: expect.arrayContaining(tokens.map(kidOf)) },
    })
    expect(other.events).toEqual([
      { type: 'signing_key_rotated', metadata: { kid: active?.kid, algorithm: 'ES256' } },
    ])
  })

  test('is known at once to a replica that has not read it, by its first token', async () => {
    const [one, other] = [await start(), await start()]
    await one.rotation.rotate({ immediately: true }, someActor)
    expect(await other.signer.verify(await one.signer.sign(claims))).toEqual(claims)
  })

  test('leaves one active key when two replicas do it at once, while others rotate and activate', async () => {
    const [one, other] = [await start(), await start()]
    await one.rotation.rotate({ immediately: false }, someActor)
    await makeDue()
    await Promise.all([
      one.rotation.rotate({ immediately: true }, someActor),
      other.rotation.rotate({ immediately: true }, someActor),
      other.rotation.refresh(),
      one.rotation.rotate({ immediately: false }, someActor),
    ])
    const active = (await states()).filter(({ state }) => state === 'active')
    expect(active).toHaveLength(1)
    expect((await states()).filter(({ state }) => state === 'staged').length).toBeLessThan(2)
  })

  test('leaves the keys of other algorithms alone', async () => {
    const replica = await start({ algorithms: ['ES256', 'EdDSA'] })
    const token = await replica.jwts.signJwt({ algorithm: 'EdDSA', type: 'JWT', claims })
    await replica.rotation.rotate({ immediately: true }, someActor)
    expect(await replica.jwts.verifyJwt(token, { type: 'JWT' })).toEqual(claims)
  })

  test('tells a token of a withdrawn key from one that was never signed here', async () => {
    const { jwts, rotation } = await start({ algorithms: ['EdDSA'] })
    const token = await jwts.signJwt({ algorithm: 'EdDSA', type: 'JWT', claims })
    const asked = { type: 'JWT' } as const
    expect(await jwts.namesUnknownKey(token, asked)).toBe(false)
    await rotation.rotate({ algorithm: 'EdDSA', immediately: true }, someActor)
    await expect.poll(() => jwts.namesUnknownKey(token, asked)).toBe(true)
    expect(await jwts.namesUnknownKey(token, { type: 'logout+jwt' })).toBe(false)
    expect(await jwts.namesUnknownKey('x.y.z', asked)).toBe(false)
  })
})
