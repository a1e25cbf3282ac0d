import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { emitNothing } from '@gatehouse/kit/emission'
import type { KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
import type { EventType } from '@gatehouse/proto/event-types'
import { beforeEach, describe, expect, test } from 'vitest'
import { recordedLog } from '../../../kit/test/recorded-log.ts'
import { createAccessTokenSigner } from '../../src/access-token.ts'
import { createJwtSigner } from '../../src/jwt.ts'
import { createKeyEncryption } from '../../src/key-encryption.ts'
import { createKeyRotation, type KeyDurations } from '../../src/key-rotation.ts'
import { createSigningKeys } from '../../src/signing-keys.ts'
import { createSigningKeyStore } from '../../src/store/signing-keys.ts'
import { claims, secret } from '../key-replica.ts'
import { someActor } from '../key-store.ts'
import { useDatabase } from './database.ts'

const shared = useDatabase()
beforeEach(async () => {
  await shared.query('truncate token.signing_keys, token.signing_key_pairs, token.audit_log')
  await shared.query(`insert into token.signing_keys (kid) values ('default')`)
})

type Changes = {
  itsSecret?: string
  algorithms?: KeyPairAlgorithm[]
  durations?: Partial<KeyDurations>
}

/** A replica with connections of its own, which has not prepared its keys yet. */
function newReplica({ itsSecret = secret, algorithms = ['ES256'], durations }: Changes = {}) {
  const events: { type: EventType; metadata: unknown }[] = []
  const { log, lines } = recordedLog()
  const encryption = createKeyEncryption(itsSecret)
  const store = createSigningKeyStore(shared.another(), emitNothing)
  const keys = createSigningKeys({
    secret: itsSecret,
    encryption,
    store,
    monotonicNow: () => performance.now(),
    sleep,
    wereRead: () => undefined,
  })
  const rotation = createKeyRotation({
    keys,
    store,
    encryption,
    accessTokenAlgorithm: 'ES256',
    keyPairAlgorithms: algorithms,
    durations: { staged: 310, retiring: 3610, everywhere: 0, ...durations },
    randomUuid: randomUUIDv7,
    sleep,
    emit: (type, { metadata }) => void events.push({ type, metadata }),
    log,
  })
  const signing = { algorithm: 'ES256', issuer: claims.iss, audience: undefined } as const
  const signer = createAccessTokenSigner(keys, signing)
  return { keys, rotation, store, signer, jwts: createJwtSigner(keys), events, lines }
}

async function start(changes?: Changes) {
  const replica = newReplica(changes)
  await replica.rotation.prepare()
  return replica
}

const states = async () =>
  (await newReplica().store.list())
    .filter(({ algorithm }) => algorithm !== 'HS256')
    .map(({ kid, algorithm, state }) => ({ kid, algorithm, state }))
const stateOf = async (kid: string | undefined) => (await states()).find((key) => key.kid === kid)?.state
const makeDue = () =>
  shared.query('update token.signing_key_pairs set activates_at = now() where activated_at is null')
const kidOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string
const audit = () =>
  shared.query('select action, target, before, after from token.audit_log order by entry_id')

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

describe('a private key', () => {
  test('is not readable in the database', async () => {
    const { keys } = await start()
    const [{ encrypted_key } = {}] = await shared.query('select encrypted_key from token.signing_key_pairs')
    const [jwk] = keys.published()
    const stored = encrypted_key as Buffer
    for (const part of [jwk?.x, jwk?.y]) {
      expect(stored.includes(Buffer.from(part ?? '', 'base64url'))).toBe(false)
    }
  })

  test('of another secret is deleted at the start: its tokens are invalid, and there is a new one', async () => {
    const before = await start({ algorithms: ['ES256', 'EdDSA'] })
    const token = await before.signer.sign(claims)
    await before.rotation.rotate({ immediately: false }, someActor)
    const replicas = [
      newReplica({ itsSecret: `${secret}!`, algorithms: ['ES256', 'EdDSA'] }),
      newReplica({ itsSecret: `${secret}!`, algorithms: ['ES256', 'EdDSA'] }),
    ]
    await Promise.all(replicas.map(({ rotation }) => rotation.prepare()))
    expect((await states()).map(({ algorithm, state }) => [algorithm, state])).toEqual([
      ['ES256', 'active'],
      ['EdDSA', 'active'],
    ])
    for (const { signer } of replicas) {
      expect(await signer.verify(token)).toBeUndefined()
      expect(await replicas[0]?.signer.verify(await signer.sign(claims))).toEqual(claims)
    }
    const warnings = replicas.flatMap(({ lines }) => lines.filter(({ level }) => level === 40))
    expect(warnings.length).toBeGreaterThan(0)
    for (const { msg } of warnings) expect(msg).toContain('OAUTH2_JWT_SECRET')

    // The replica with the previous secret neither signs nor takes the new keys away.
    await before.rotation.refresh()
    expect(before.signer.checkFresh).toThrow(expect.objectContaining({ code: 'temporarily_unavailable' }))
    expect(await before.signer.verify(token)).toBeUndefined()
    expect(await states()).toHaveLength(2)
  })

  test('that was damaged, or moved to another row, is deleted at the start and replaced', async () => {
    for (const damage of [
      `update token.signing_key_pairs set encrypted_key = set_byte(encrypted_key, 40, (get_byte(encrypted_key, 40) + 1) % 256)`,
      `update token.signing_key_pairs set encrypted_key = ''`,
      `update token.signing_key_pairs set kid = reverse(kid)`,
    ]) {
      const token = await (await start()).signer.sign(claims)
      await shared.query(damage)
      const replica = await start()
      expect(await replica.signer.verify(token)).toBeUndefined()
      expect(await replica.signer.verify(await replica.signer.sign(claims))).toEqual(claims)
      expect(replica.lines.filter(({ level }) => level === 40)).toHaveLength(1)
      expect(await states()).toHaveLength(1)
    }
  })

  test('of an algorithm that a later release wrote is left alone', async () => {
    await shared.query(
      `insert into token.signing_key_pairs (kid, algorithm, encrypted_key, activates_at) values ('k', 'ML-DSA-65', '\\x00', now())`,
    )
    const { keys } = await start()
    expect(await stateOf('k')).toBe('staged')
    expect(keys.published().map(({ alg }) => alg)).toEqual(['ES256'])
  })
})

test('the release before this one sees no key pair', async () => {
  const { rotation } = await start()
  await rotation.rotate({ immediately: false }, someActor)
  // Its statement.
  const keys = await shared.query(
    'select kid, algorithm from token.signing_keys where verifies_until is null',
  )
  expect(keys).toEqual([{ kid: 'default', algorithm: 'HS256' }])
})
