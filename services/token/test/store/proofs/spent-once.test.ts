import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { type Proof, proofDigest } from '../../../src/clients/assertions/proof.ts'
import { digestOf } from '../../../src/keys/digest.ts'
import { createAccessTokenStore } from '../../../src/store/access-tokens.ts'
import { deleteExpired } from '../../../src/store/expired.ts'
import { createPartitions } from '../../../src/store/partitions.ts'
import { createProofStore } from '../../../src/store/spent-proofs.ts'
import { assertionOf, clientKey } from '../../clients/assertions/signed.ts'
import { someRecord, useDatabase } from '../database.ts'
import { outcomes } from '../replica.ts'
import { assertion, countRows, isReplay, redeem, refresh, send, start } from './proving-replica.ts'

const context = useDatabase()
afterEach(() => context.database.pool.query('delete from token.spent_proofs'))

describe('one assertion', () => {
  test('that fifty requests present to two replicas gives one token', async () => {
    const [one, other] = [start(context.database), start(context.another())]
    const text = assertion()
    const before = await countRows(context, 'access_tokens')
    const attempts = Array.from({ length: 50 }, (_, index) => send(index % 2 ? one : other, text))
    const { succeeded, refused } = await outcomes(attempts)
    expect([succeeded.length, refused.length]).toEqual([1, 49])
    expect(new Set(refused.map(({ failed }) => failed?.reason))).toEqual(new Set(['replayed_assertion']))
    expect(await countRows(context, 'access_tokens')).toBe(Number(before) + 1)
    expect(await countRows(context, 'spent_proofs')).toBe(1)
  })

  test('of one batch gives one token', async () => {
    const at = start(context.database)
    const text = assertion()
    // Submitted in one turn, so they share a statement.
    context.statements.splice(0)
    const { succeeded, refused } = await outcomes([send(at, text), send(at, assertion()), send(at, text)])
    expect(context.statements.filter((name) => name.startsWith('insert'))).toHaveLength(1)
    expect(succeeded).toHaveLength(2)
    expect(refused).toEqual([isReplay])
  })

  test('that was spent takes no code, and revokes nothing', async () => {
    const [one, other] = [start(context.database), start(context.another())]
    const text = assertion()
    await send(other, text)
    const { code } = await one.authorize()
    await expect(redeem(one, text, code)).rejects.toEqual(isReplay)
    const tokens = await redeem(other, assertion(), code)
    // A code that was used: whoever replays the assertion with it is not the client, so this is no theft.
    await expect(redeem(one, text, code)).rejects.toEqual(isReplay)
    expect(await one.isActive(tokens)).toBe(true)
    await expect(redeem(one, assertion(), code)).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(await one.isActive(tokens)).toBe(false)
  })

  test('that was spent rotates no refresh token', async () => {
    const at = start(context.database)
    const { code } = await at.authorize()
    const text = assertion()
    const { refreshToken } = await redeem(at, text, code)
    await expect(refresh(at, text, refreshToken)).rejects.toEqual(isReplay)
    const { rows } = await context.database.pool.query(
      'select from token.refresh_tokens where token_digest = $1 and used_at is not null',
      [digestOf(refreshToken ?? '')],
    )
    expect(rows).toEqual([])
    expect((await refresh(at, assertion(), refreshToken)).refreshToken).toBeDefined()
  })

  test('of racing redemptions of two codes takes one code', async () => {
    const [one, other] = [start(context.database), start(context.another())]
    for (let round = 0; round < 10; round += 1) {
      const codes = [(await one.authorize()).code, (await one.authorize()).code] as const
      const text = assertion()
      const { succeeded, refused } = await outcomes([
        redeem(one, text, codes[0]),
        redeem(other, text, codes[1]),
      ])
      expect([succeeded.length, refused]).toEqual([1, [isReplay]])
      const again = await outcomes(codes.map((code) => redeem(one, assertion(), code)))
      expect(again.succeeded).toHaveLength(1)
    }
  })

  test('of another client with the same jti is another one', async () => {
    const at = start(context.database)
    await send(at, assertion('client_a', { jti: 'same' }))
    await send(at, assertion('client_b', { jti: 'same' }), { clientId: 'client_b' })
    await expect(send(at, assertion('client_a', { jti: 'same' }))).rejects.toEqual(isReplay)
  })

  test('whose signature is wrong spends nothing', async () => {
    const at = start(context.database)
    const forged = assertionOf(clientKey('ES256'), { claims: { jti: 'guessed' } })
    await expect(send(at, forged)).rejects.toMatchObject({ failed: { reason: 'wrong_assertion' } })
    expect(await countRows(context, 'spent_proofs')).toBe(0)
    await send(at, assertion('client_a', { jti: 'guessed' }))
  })
})

const someProof = (jti: string, attempt: string = randomUUID()): Proof => ({
  digest: proofDigest('client_assertion', 'client_a', jti),
  ...{ expiresAt: Date.now() / 1_000 + 60, attempt, clientId: 'client_a' },
})

test('statements with the same proofs in any order do not deadlock', async () => {
  const stores = [context.database, context.another()].map((database) => ({
    proofs: createProofStore(database),
    tokens: createAccessTokenStore({ database, makePartitions: createPartitions(database).make }),
  }))
  for (let round = 0; round < 20; round += 1) {
    const jtis = Array.from({ length: 40 }, (_, index) => `${round} ${index}`)
    const attempts = stores.flatMap(({ proofs, tokens }, index) => {
      const order = index === 0 ? jtis : jtis.toReversed()
      return order.map((jti, place) =>
        place % 2 ? proofs.spend(someProof(jti)) : tokens.insert({ ...someRecord(), proof: someProof(jti) }),
      )
    })
    const { succeeded, refused } = await outcomes<void>(attempts)
    expect(succeeded).toHaveLength(40)
    expect(new Set(refused.map(({ failed }) => failed?.reason))).toEqual(new Set(['replayed_assertion']))
  }
})

test('a token whose client was changed is not stored, and its proof stays with its request', async () => {
  const at = start(context.database)
  const changed = { clientId: 'client_changed', scope: 'read', grantTypes: [], disabled: false }
  await at.clientChanges.apply({ ...changed, revision: 5n })
  const record = { ...someRecord({ clientId: 'client_changed' }), proof: someProof('changed') }
  await expect(at.store.insert(record)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await expect(at.store.insert({ ...record, proof: someProof('changed') })).rejects.toEqual(isReplay)
  const renewed = { ...record, ...someRecord({ clientId: 'client_changed' }), clientRevision: 5n }
  await at.store.insert(renewed)
})

test('a spent proof is kept for an hour longer than it could be presented', async () => {
  const { proofs } = start(context.database)
  const past = (seconds: number) => ({
    ...someProof(String(seconds)),
    expiresAt: Date.now() / 1_000 - seconds,
  })
  await Promise.all([proofs.spend(past(3_500)), proofs.spend(past(3_700)), proofs.spend(someProof('now'))])
  expect(await deleteExpired(context.database, 'spent_proofs')).toBe(1)
  await expect(proofs.spend(past(3_500))).rejects.toEqual(isReplay)
  await proofs.spend(past(3_700))
})

test('no two lists of parts have the same digest', () => {
  const digests = [
    proofDigest('a', 'b', 'c'),
    proofDigest('ab', '', 'c'),
    proofDigest('a', 'bc', ''),
    proofDigest('', 'ab', 'c'),
    proofDigest('a', 'b\0', 'c'),
  ].map((digest) => digest.toString('hex'))
  expect(new Set(digests).size).toBe(digests.length)
})
