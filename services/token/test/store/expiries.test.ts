import { hash, randomBytes } from 'node:crypto'
import { expiringSecret, expiryOf } from '@gatehouse/kit/expiring-secret'
import { beforeAll, expect, test } from 'vitest'
import { createSuccession } from '../../src/tokens/refresh-token.ts'
import { useDatabase } from './database.ts'
import { outcomes, startReplica } from './replica.ts'

const lifetime = 86_400
const shared = useDatabase()
let [first, second]: ReturnType<typeof startReplica>[] = []
const one = () => first ?? expect.unreachable('no replica')
/** A replica whose clock is an hour ahead, in another minute and another second. */
const ahead = () => second ?? expect.unreachable('no replica')
beforeAll(() => {
  first = startReplica(shared.database)
  second = startReplica(shared.another(), { now: () => Date.now() + 3_661_000 })
})

const digest = (text = '') => hash('sha256', text, 'buffer')
const seconds = () => Math.floor(Date.now() / 1000)
const rowsOf = (token: string | undefined) =>
  shared.query('select * from token.refresh_tokens where token_digest = $1', [digest(token)])
const begin = async () => one().redeem((await one().authorize()).code)
/** The same secret with an expiry that is a year later. */
const prolonged = (secret = '') =>
  expiringSecret(Buffer.from(secret, 'base64url'), (expiryOf(secret) ?? 0) + 31_536_000)
/** A refresh token as release 0.7.0 issues it, in place of one of ours. */
async function released(token: string | undefined): Promise<string> {
  const old = randomBytes(32).toString('base64url')
  await shared.query('update token.refresh_tokens set token_digest = $2 where token_digest = $1', [
    digest(token),
    digest(old),
  ])
  return old
}
const derivedBy070 = (token: string) =>
  createSuccession('a secret of at least thirty-two bytes')(token, undefined)

test('codes and refresh tokens carry the latest moment at which they end', async () => {
  const { code } = await one().authorize('client_a', 600)
  expect(expiryOf(code)).toBeGreaterThan(seconds() + 590)
  expect(expiryOf(code)).toBeLessThanOrEqual(seconds() + 600)
  const { refreshToken = '' } = await one().redeem(code)
  const next = await one().refresh(refreshToken)
  for (const token of [refreshToken, next.refreshToken ?? '']) {
    expect(expiryOf(token)).toBeGreaterThan(seconds() + lifetime - 10)
    expect(expiryOf(token)).toBeLessThanOrEqual(seconds() + lifetime)
  }
})

test('a code or refresh token with another expiry is unknown, and revokes nothing', async () => {
  const { code } = await one().authorize()
  const unknown = { code: 'invalid_grant' }
  await expect(one().redeem(prolonged(code))).rejects.toMatchObject(unknown)
  const tokens = await one().redeem(code)
  const changed = prolonged(tokens.refreshToken)
  await expect(one().refresh(changed)).rejects.toMatchObject({
    ...unknown,
    detail: 'the client has no such refresh token',
  })
  expect(await one().introspect(changed, 'client_a')).toBeUndefined()
  await one().revoke(changed)
  const next = await one().refresh(tokens.refreshToken)
  await expect(one().refresh(prolonged(next.refreshToken))).rejects.toMatchObject(unknown)
  expect(await one().isActive(next)).toBe(true)
})

test('replicas whose clocks differ give the same successor, whose expiry the first use decided', async () => {
  for (const [replica, other] of [
    [one(), ahead()],
    [ahead(), one()],
  ] as const) {
    const { refreshToken } = await begin()
    const decided = await replica.refresh(refreshToken)
    const again = [await other.refresh(refreshToken), await replica.refresh(refreshToken)]
    expect(again.map((answer) => answer.refreshToken)).toEqual([decided.refreshToken, decided.refreshToken])
    expect(await rowsOf(decided.refreshToken)).toHaveLength(1)
    const [row] = await rowsOf(refreshToken)
    const expiresAt = expiryOf(decided.refreshToken ?? '') ?? 0
    expect(row?.successor_expires_at).toEqual(new Date(expiresAt * 1000))
    expect((await other.refresh(decided.refreshToken)).refreshToken).toBeDefined()
  }
})

test('fifty uses at once on replicas whose clocks differ have one successor, which is stored', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { refreshToken } = await begin()
    const { succeeded, refused } = await outcomes(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? one() : ahead()).refresh(refreshToken)),
    )
    expect(refused).toEqual([])
    const [successor, ...others] = new Set(succeeded.map((answer) => answer.refreshToken))
    expect(others).toEqual([])
    expect(await rowsOf(successor)).toHaveLength(1)
    expect((await one().refresh(successor)).refreshToken).toBeDefined()
  }
})

test('uses of a token in one statement have the successor of the first of them', async () => {
  const { refreshToken } = await begin()
  let clock = Date.now()
  const ticking = startReplica(shared.database, { now: () => (clock += 1000) })
  const answers = await Promise.all(Array.from({ length: 20 }, () => ticking.refresh(refreshToken)))
  const [successor, ...others] = new Set(answers.map((answer) => answer.refreshToken))
  expect(others).toEqual([])
  expect(await rowsOf(successor)).toHaveLength(1)
})

test('a refresh token of release 0.7.0 has the successors that 0.7.0 derives, and reuse revokes its grant', async () => {
  const tokens = await begin()
  const old = await released(tokens.refreshToken)
  const next = await one().refresh(old)
  expect(next.refreshToken).toBe(derivedBy070(old))
  expect((await ahead().refresh(old)).refreshToken).toBe(next.refreshToken)
  const third = await one().refresh(next.refreshToken)
  expect(third.refreshToken).toBe(derivedBy070(next.refreshToken ?? ''))
  await expect(one().refresh(old)).rejects.toMatchObject({ detail: 'the refresh token was used before' })
  expect(await one().isActive(third)).toBe(false)
})

test('a token that 0.7.0 used first keeps the successor that 0.7.0 gave it', async () => {
  const { refreshToken = '' } = await begin()
  const given = derivedBy070(refreshToken)
  await shared.query(
    `with used as (
      update token.refresh_tokens set used_at = now() where token_digest = $1 returning *
    )
    insert into token.refresh_tokens (token_digest, parent_digest, grant_id, grant_type, granted_at, client_id, user_id, username,
      scope, expires_at)
    select $2, token_digest, grant_id, grant_type, granted_at, client_id, user_id, username, scope, expires_at from used`,
    [digest(refreshToken), digest(given)],
  )
  expect((await one().refresh(refreshToken)).refreshToken).toBe(given)
  expect((await one().refresh(given)).refreshToken).toBe(derivedBy070(given))
})

test('a code of release 0.7.0 is redeemed, once', async () => {
  const { code } = await one().authorize()
  const old = randomBytes(32).toString('base64url')
  await shared.query('update token.authorization_codes set code_digest = $2 where code_digest = $1', [
    digest(code),
    digest(old),
  ])
  expect(expiryOf((await one().redeem(old)).refreshToken ?? '')).toBeDefined()
  await expect(one().redeem(old)).rejects.toMatchObject({ code: 'invalid_grant' })
})

test('a used refresh token revokes its grant even after the expiry that it carries', async () => {
  const tokens = await begin()
  const next = await one().refresh(tokens.refreshToken)
  await shared.query(
    `update token.refresh_tokens set used_at = used_at - interval '1 min' where token_digest = $1`,
    [digest(tokens.refreshToken)],
  )
  const later = startReplica(shared.database, { now: () => Date.now() + 2 * lifetime * 1000 })
  await expect(later.refresh(tokens.refreshToken)).rejects.toMatchObject({
    detail: 'the refresh token was used before',
  })
  expect(await one().isActive(next)).toBe(false)
})
