import { hash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from './database.ts'
import { outcomes, startReplica } from './replica.ts'

const shared = useDatabase()
let replicas: ReturnType<typeof startReplica>[] = []
const replica = (index = 0) => replicas[index % 2] ?? expect.unreachable('no replica')
beforeAll(() => {
  replicas = [startReplica(shared.database), startReplica(shared.another())]
})

const notGranted = { code: 'invalid_grant' }
const digest = (token = '') => hash('sha256', token, 'buffer')
const rowOf = async (token: string | undefined) =>
  (await shared.query('select * from token.refresh_tokens where token_digest = $1', [digest(token)]))[0]
/** Moves a token's use into the past. */
const age = (token: string | undefined, seconds: number) =>
  shared.query(
    'update token.refresh_tokens set used_at = used_at - make_interval(secs => $2) where token_digest = $1',
    [digest(token), seconds],
  )

/** Returns the tokens of a new grant. */
async function begin(clientId = 'client_a') {
  const { code, userId } = await replica().authorize(clientId)
  return { ...(await replica().redeem(code, { clientId })), userId }
}

test('issues a new access token and a new refresh token of the same grant', async () => {
  const first = await begin()
  const second = await replica(1).refresh(first.refreshToken)
  expect(second).toEqual({
    accessToken: expect.any(String),
    expiresIn: 3600,
    scope: 'read write',
    refreshToken: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(second.refreshToken).not.toBe(first.refreshToken)
  expect(second.accessToken).not.toBe(first.accessToken)
  expect(await replica().introspect(second.accessToken)).toMatchObject({
    sub: first.userId,
    username: 'ann',
    clientId: 'client_a',
  })
  expect(await replica().isActive(first)).toBe(true)
  const [old, next] = [await rowOf(first.refreshToken), await rowOf(second.refreshToken)]
  expect(next?.grant_id).toBe(old?.grant_id)
  expect(next?.parent_digest).toEqual(old?.token_digest)
})

test('gives fifty concurrent refreshes on two replicas the same successor', async () => {
  for (let round = 0; round < 5; round++) {
    const { refreshToken } = await begin()
    const { succeeded, refused } = await outcomes(
      Array.from({ length: 50 }, (_, index) => replica(index).refresh(refreshToken)),
    )
    expect(refused).toEqual([])
    expect(new Set(succeeded.map((answer) => answer.refreshToken)).size).toBe(1)
    expect(new Set(succeeded.map((answer) => answer.accessToken)).size).toBe(50)
    const [one] = succeeded
    expect(one && (await replica().isActive(one))).toBe(true)
    const row = await rowOf(refreshToken)
    const [count] = await shared.query('select count(*) from token.refresh_tokens where grant_id = $1', [
      row?.grant_id,
    ])
    expect(count).toEqual({ count: '2' })
  }
})

test('lets a client that missed the answer repeat the refresh within ten seconds of the first one', async () => {
  const { refreshToken } = await begin()
  const first = await replica().refresh(refreshToken)
  await age(refreshToken, 6)
  const again = await replica(1).refresh(refreshToken)
  expect(again.refreshToken).toBe(first.refreshToken)
  await age(refreshToken, 5)
  await expect(replica().refresh(refreshToken)).rejects.toMatchObject(notGranted)
})

test('revokes the grant when a token is used again after ten seconds', async () => {
  const first = await begin()
  const second = await replica().refresh(first.refreshToken)
  await age(first.refreshToken, 11)
  await expect(replica(1).refresh(first.refreshToken)).rejects.toMatchObject({
    ...notGranted,
    detail: 'the refresh token was used before',
  })
  expect(await replica().isActive(first)).toBe(false)
  expect(await replica().isActive(second)).toBe(false)
  await expect(replica().refresh(second.refreshToken)).rejects.toMatchObject({
    ...notGranted,
    detail: 'the grant is revoked',
  })
})

test('revokes the grant when a token is used again after its successor, however soon', async () => {
  const first = await begin()
  const second = await replica().refresh(first.refreshToken)
  const third = await replica().refresh(second.refreshToken)
  await expect(replica(1).refresh(first.refreshToken)).rejects.toMatchObject(notGranted)
  expect(await replica().isActive(third)).toBe(false)
})

test('refuses another client’s refresh token and leaves its grant alone', async () => {
  const first = await begin()
  await replica().refresh(first.refreshToken)
  await age(first.refreshToken, 60)
  for (const clientId of ['client_b', 'client_public']) {
    await expect(replica().refresh(first.refreshToken, { clientId })).rejects.toMatchObject({
      ...notGranted,
      detail: 'the client has no such refresh token',
    })
  }
  expect(await replica().isActive(first)).toBe(true)
})

test('lets a public client refresh', async () => {
  const first = await begin('client_public')
  const second = await replica().refresh(first.refreshToken, { clientId: 'client_public' })
  expect(await replica().isActive(second)).toBe(true)
})

test('narrows the scope of one access token, and gives the next one the grant’s scope again', async () => {
  const first = await begin()
  const narrow = await replica().refresh(first.refreshToken, { scope: 'read' })
  expect(narrow.scope).toBe('read')
  expect(await replica().introspect(narrow.accessToken)).toMatchObject({ scope: 'read' })
  expect((await replica().refresh(narrow.refreshToken)).scope).toBe('read write')
})

test.each(['admin', 'read admin', 'read  write', ' ', 'nul\0', 'READ'])(
  'refuses the scope %j without using the token up',
  async (scope) => {
    const { refreshToken } = await begin()
    await expect(replica().refresh(refreshToken, { scope })).rejects.toMatchObject({ code: 'invalid_scope' })
    expect(await rowOf(refreshToken)).toMatchObject({ used_at: null })
    expect((await replica().refresh(refreshToken)).scope).toBe('read write')
  },
)

test('recognizes reuse even with a scope beyond the grant’s', async () => {
  const first = await begin()
  await replica().refresh(first.refreshToken)
  await age(first.refreshToken, 60)
  await expect(replica().refresh(first.refreshToken, { scope: 'admin' })).rejects.toMatchObject(notGranted)
  expect(await replica().isActive(first)).toBe(false)
})

test('refuses an expired token and revokes nothing', async () => {
  const first = await begin()
  await shared.query('update token.refresh_tokens set expires_at = now() where token_digest = $1', [
    digest(first.refreshToken),
  ])
  await expect(replica().refresh(first.refreshToken)).rejects.toMatchObject({
    ...notGranted,
    detail: 'the refresh token has expired',
  })
  expect(await replica().isActive(first)).toBe(true)
})

test('gives a successor the full lifetime', async () => {
  const { refreshToken } = await begin()
  await shared.query(
    `update token.refresh_tokens set expires_at = now() + interval '1 min' where token_digest = $1`,
    [digest(refreshToken)],
  )
  const second = await replica().refresh(refreshToken)
  const [row] = await shared.query(
    'select extract(epoch from expires_at - now())::int as left from token.refresh_tokens where token_digest = $1',
    [digest(second.refreshToken)],
  )
  expect(Number(row?.left)).toBeGreaterThan(86_400 - 60)
})

test('applies a shortened lifetime to existing tokens', async () => {
  const { refreshToken } = await begin()
  const { refreshTokens } = replica()
  const strict = startReplica(shared.database, { refreshTokens: { ...refreshTokens, lifetime: 60 } })
  await shared.query(
    `update token.refresh_tokens set created_at = created_at - interval '2 min' where token_digest = $1`,
    [digest(refreshToken)],
  )
  await expect(strict.refresh(refreshToken)).rejects.toMatchObject({
    detail: 'the refresh token has expired',
  })
  expect((await replica().refresh(refreshToken)).scope).toBe('read write')
})

test.each(['user', 'consent', 'grant'] as const)(
  'refuses to refresh after its %s was revoked',
  async (kind) => {
    const first = await begin()
    const second = await replica().refresh(first.refreshToken)
    const id = {
      user: first.userId,
      consent: `${first.userId}:client_a`,
      grant: String((await rowOf(first.refreshToken))?.grant_id),
    }[kind]
    await replica(1).revocations.add({ kind, id, issuedBefore: 'now' })
    await expect(replica().refresh(second.refreshToken)).rejects.toMatchObject(notGranted)
    expect(await rowOf(second.refreshToken)).toMatchObject({ used_at: null })
  },
)

test('leaves no active token when a refresh races a revocation', async () => {
  for (let round = 0; round < 20; round++) {
    const first = await begin()
    const [refreshed] = await Promise.allSettled([
      replica().refresh(first.refreshToken),
      replica(1).revocations.add({ kind: 'user', id: first.userId, issuedBefore: 'now' }),
    ])
    if (refreshed.status === 'rejected') continue
    expect(await replica().isActive(refreshed.value)).toBe(false)
    await expect(replica().refresh(refreshed.value.refreshToken)).rejects.toMatchObject(notGranted)
  }
})

test('revokes the whole grant with a refresh token, once', async () => {
  const first = await begin()
  const second = await replica().refresh(first.refreshToken)
  expect(await replica(1).revoke(second.refreshToken ?? '')).toBe(true)
  expect(await replica().isActive(first)).toBe(false)
  expect(await replica().isActive(second)).toBe(false)
  await expect(replica().refresh(second.refreshToken)).rejects.toMatchObject(notGranted)
  expect(await replica().revoke(second.refreshToken ?? '')).toBe(false)
})

test('revokes an access token alone', async () => {
  const first = await begin()
  const second = await replica().refresh(first.refreshToken)
  expect(await replica().revoke(first.accessToken)).toBe(true)
  expect(await replica().isActive(first)).toBe(false)
  expect(await replica().isActive(second)).toBe(true)
  expect((await replica().refresh(second.refreshToken)).scope).toBe('read write')
})

test('lets a public client, but no other client, revoke its refresh token', async () => {
  const first = await begin('client_public')
  await expect(replica().revoke(first.refreshToken ?? '', 'client_b')).rejects.toMatchObject({
    code: 'unauthorized_client',
  })
  expect(await replica().isActive(first)).toBe(true)
  expect(await replica().revoke(first.refreshToken ?? '', 'client_public')).toBe(true)
  expect(await replica().isActive(first)).toBe(false)
})

test('reports a refresh token as inactive to a caller without credentials', async () => {
  const { refreshToken = '' } = await begin()
  expect(await replica().introspect(refreshToken)).toBeUndefined()
})

test('refreshes tokens of the password grant', async () => {
  const token = await replica().logIn('read')
  expect(token.scope).toBe('read')
  expect(await replica().introspect(token.accessToken)).toMatchObject({ sub: 'user-1', username: 'ann' })
  expect((await replica().refresh(token.refreshToken)).scope).toBe('read')
})

test('leaves no active token when the user is disabled while their password is checked', async () => {
  const { database } = shared
  const slow = startReplica(database, {
    authenticateUser: async () => {
      await replica().revocations.add({ kind: 'user', id: 'user-2', issuedBefore: 'now' })
      return { outcome: 'user', userId: 'user-2', username: 'bob' }
    },
  })
  const token = await slow.logIn()
  expect(await replica().isActive(token)).toBe(false)
  await expect(replica().refresh(token.refreshToken)).rejects.toMatchObject(notGranted)
})
