import { describe, expect, test } from 'vitest'
import { claims, secret } from '../../keys/key-replica.ts'
import { someActor } from '../../keys/key-store.ts'
import { useKeyPairs } from './key-pair-replicas.ts'

const { shared, newReplica, start, states, stateOf } = useKeyPairs()

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
