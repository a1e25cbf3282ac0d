import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { keepNothing } from '@gatehouse/data/pending-events'
import { openDatabase } from '@gatehouse/prisma/database'
import { describe, expect, test } from 'vitest'
import { endToken, endTokensOf } from '../../src/administration/token-administration.ts'
import { createTokenAdministrationStore } from '../../src/store/token-administration.ts'
import { someActor } from '../keys/key-store.ts'
import { inHours, useAdministration } from './administered.ts'
import { someRecord } from './database.ts'

const { start, insert, audited } = useAdministration()

describe('revoking a token', () => {
  test('by its key takes effect at once and writes an audit entry', async () => {
    const { replica, list, end } = start()
    const token = await replica.logIn()
    const kept = await replica.logIn()
    const jti = (await replica.signer.verify(token.accessToken))?.jti ?? ''
    const expiresAt = (await list()).tokens.find((one) => one.jti === jti)?.expiresAt ?? 0
    expect(await end({ key: { jti, expiresAt } })).toBe(true)
    expect([await replica.isActive(token), await replica.isActive(kept)]).toEqual([false, true])
    expect(await audited()).toEqual([
      {
        actor_id: someActor.id,
        action: 'token.end',
        target: jti,
        before: null,
        after: { revoked: 'access_token', client_id: 'client_a', user_id: 'user-1' },
      },
    ])
  })

  test('by the token itself revokes an access token alone, and a refresh token with its whole grant', async () => {
    const { replica, end } = start()
    const [first, second] = [await replica.logIn(), await replica.logIn()]
    expect(await end({ token: first.accessToken })).toBe(true)
    expect(await replica.isActive(first)).toBe(false)
    const next = await replica.refresh(first.refreshToken)
    expect(await replica.isActive(next)).toBe(true)

    expect(await end({ token: next.refreshToken ?? '' })).toBe(true)
    expect(await replica.isActive(next)).toBe(false)
    await expect(replica.refresh(next.refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(await replica.isActive(second)).toBe(true)
    const entries = await audited()
    expect(entries.map(({ after }) => after)).toEqual([
      { revoked: 'access_token', client_id: 'client_a', user_id: 'user-1' },
      { revoked: 'grant', client_id: 'client_a', user_id: 'user-1' },
    ])
    for (const token of [first, second, next]) {
      expect(JSON.stringify(entries)).not.toContain(token.refreshToken)
      expect(JSON.stringify(entries)).not.toContain(token.accessToken)
    }
  })

  test('that is already revoked changes nothing and writes no audit entry', async () => {
    const { replica, end } = start()
    const token = await replica.logIn()
    for (const which of [token.accessToken, token.refreshToken ?? '']) {
      expect(await end({ token: which })).toBe(true)
      expect(await end({ token: which })).toBe(false)
    }
    expect(await audited()).toHaveLength(2)
  })

  test('that has expired does nothing', async () => {
    const expiresAt = inHours(-0.001)
    const [jti = ''] = await insert([{ expiresAt }])
    const { end } = start()
    expect(await end({ key: { jti, expiresAt } })).toBe(false)
    expect(await audited()).toEqual([])
  })

  test('twice at once revokes it once, with one audit entry', async () => {
    const { replica, end } = start()
    const { accessToken } = await replica.logIn()
    const ends = await Promise.all([end({ token: accessToken }), end({ token: accessToken })])
    expect(ends.toSorted()).toEqual([false, true])
    expect(await audited()).toHaveLength(1)
  })

  test.each<[string, Parameters<typeof endToken>[0]]>([
    ['an unknown key', { key: someRecord() }],
    ['an invalid key', { key: { jti: "' or 1=1 --", expiresAt: 1 } }],
    ['the greatest time', { key: { jti: randomUUIDv7(), expiresAt: 2 ** 32 - 1 } }],
    ['an unknown refresh token', { token: 'a'.repeat(43) }],
    ['an empty token', { token: '' }],
    ['a malformed token', { token: 'nonsense\0' }],
  ])('that does not exist (%s) fails with not_found', async (_, which) => {
    await expect(start().end(which)).rejects.toMatchObject({ code: 'not_found' })
    expect(await audited()).toEqual([])
  })

  test('fails without an audit entry', async () => {
    const { replica, deps } = start()
    const token = await replica.logIn()
    const nobody = { ...someActor, kind: 'nobody' as 'user' }
    await expect(endToken({ token: token.accessToken }, nobody, deps)).rejects.toThrow()
    await expect(endToken({ token: token.refreshToken ?? '' }, nobody, deps)).rejects.toThrow()
    await expect(endTokensOf({ kind: 'client', id: 'client_a' }, nobody, deps)).rejects.toThrow()
    expect(await replica.isActive(token)).toBe(true)
  })
})

describe('revoking all tokens', () => {
  test('of a client revokes everything it was granted until now, and nothing of others', async () => {
    const { replica, endOf } = start()
    const [mine, others] = [await replica.logIn(), await replica.authorize('client_b')]
    const code = await replica.authorize()
    await endOf({ kind: 'client', id: 'client_a' })
    expect(await replica.isActive(mine)).toBe(false)
    await expect(replica.refresh(mine.refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
    await expect(replica.redeem(code.code)).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(await replica.isActive(await replica.redeem(others.code, { clientId: 'client_b' }))).toBe(true)
    expect(await replica.isActive(await replica.logIn())).toBe(true)
    expect(await audited()).toEqual([
      {
        actor_id: someActor.id,
        action: 'tokens.end',
        target: 'client_a',
        before: null,
        after: { revoked: 'tokens of the client' },
      },
    ])
  })

  test('of a user revokes theirs with every client, and nobody else’s', async () => {
    const { replica, endOf } = start()
    const userId = randomUUID()
    const expiresAt = inHours(1)
    const [first = '', second = '', foreign = ''] = await insert([
      { expiresAt, userId },
      { expiresAt, userId, clientId: 'client_b' },
      { expiresAt, userId: randomUUID() },
    ])
    await endOf({ kind: 'user', id: userId })
    const live = await Promise.all(
      [first, second, foreign].map((jti) => replica.store.findLive({ jti, expiresAt })),
    )
    expect(live.map((one) => one !== undefined)).toEqual([false, false, true])
  })

  test('does not narrow an earlier revocation', async () => {
    const { replica, endOf } = start()
    await replica.revocations.add({ kind: 'client', id: 'client_a', issuedBefore: undefined })
    await endOf({ kind: 'client', id: 'client_a' })
    expect(await replica.isActive(await replica.logIn())).toBe(false)
  })
})

test('rejects with temporarily_unavailable while the database is away', async () => {
  const away = openDatabase({
    databaseUrl: 'postgresql://nobody@127.0.0.1:9/nothing',
    applicationName: 'gatehouse-test',
    poolSize: 1,
  })
  const store = createTokenAdministrationStore(away, 3600, keepNothing)
  for (const attempt of [
    store.list(undefined, undefined, 1),
    store.endAccessToken(someRecord(), someActor),
    store.endTokensOf({ kind: 'user', id: 'u' }, someActor),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  }
  await away.close()
})

test('a list of one token has it alone while it is valid, and is empty for any other text', async () => {
  const { list } = start()
  const [, wanted = ''] = await insert([{ expiresAt: inHours(1) }, { expiresAt: inHours(0.9) }])
  const [ended = ''] = await insert([{ expiresAt: inHours(-1) }])
  const jtis = async (id: string) => (await list({ kind: 'jti', id })).tokens.map(({ jti }) => jti)
  expect(await jtis(wanted)).toEqual([wanted])
  for (const other of [ended, randomUUID(), randomUUIDv7(), 'x', '']) expect(await jtis(other)).toEqual([])
})
