import { randomUUIDv7 } from 'node:crypto'
import { ActorKind } from '@gatehouse/proto/audit/v1'
import type { ListAccessTokensRequest } from '@gatehouse/proto/token/v1'
import { expect, test, vi } from 'vitest'
import type { ListedToken } from '../../src/administration/token-administration.ts'
import { type AdminRpcDeps, adminRpcs } from '../../src/rpc/admin-rpc.ts'
import { keyRpcs } from '../../src/rpc/key-rpc.ts'
import { issuedAt } from '../../src/tokens/token-id.ts'
import { noAdministration, noSigningKeys } from '../administration/administration.ts'

const actor = { kind: ActorKind.ACTOR_KIND_CLIENT, id: 'client_b', name: 'client_b', ipAddress: '192.0.2.1' }
const sameActor = { ...actor, kind: 'client' }
const call = { deadline: Number.POSITIVE_INFINITY, isCancelled: () => false }
const jti = '01990000-0000-7000-8000-000000000000'

function start(changes: Partial<AdminRpcDeps> = {}) {
  const deps = { ...noAdministration(), metrics: { revoked: vi.fn() }, ...changes }
  return { deps, rpcs: adminRpcs(deps) }
}

test('passes a list request on, and returns empty texts for a token without a user', async () => {
  const { deps, rpcs } = start()
  const token: ListedToken = {
    expiresAt: 1_900_000_000,
    jti,
    grantId: jti,
    clientId: 'client_a',
    userId: undefined,
    username: undefined,
    scope: 'read',
    resources: [],
    organizationId: 'org_1',
    revoked: true,
  }
  const list = vi.mocked(deps.tokens.list as (...args: unknown[]) => Promise<ListedToken[]>)
  list.mockResolvedValue([token, token])
  const ask = (of: ListAccessTokensRequest['of'], cursor?: string) =>
    rpcs.listAccessTokens({ of, cursor, limit: 1 }, call)
  const { tokens, nextCursor } = await ask(undefined)
  expect(tokens).toEqual([
    {
      jti,
      clientId: 'client_a',
      userId: undefined,
      username: undefined,
      scope: 'read',
      grantId: jti,
      issuedAt: new Date(0x0199_0000_0000),
      expiresAt: new Date(1_900_000_000_000),
      resources: [],
      organizationId: 'org_1',
      revoked: true,
    },
  ])
  await ask({ $case: 'clientId', value: 'c' }, nextCursor)
  await ask({ $case: 'userId', value: 'u' })
  expect(list.mock.calls).toEqual([
    [undefined, undefined, 2],
    [{ kind: 'client', id: 'c' }, { jti, expiresAt: 1_900_000_000 }, 2],
    [{ kind: 'user', id: 'u' }, undefined, 2],
  ])
})

test('reads the time of issue from a UUIDv7', () => {
  const before = Date.now()
  const issued = issuedAt(randomUUIDv7()).getTime()
  expect(issued).toBeGreaterThanOrEqual(before)
  expect(issued).toBeLessThanOrEqual(Date.now())
})

test('refuses a change without an actor or a target', async () => {
  const { deps, rpcs } = start()
  const [key, of] = [
    { $case: 'key', value: { jti, exp: 1 } } as const,
    { $case: 'userId', value: 'u' } as const,
  ]
  for (const attempt of [
    rpcs.endToken({ which: key, actor: undefined }, call),
    rpcs.endToken({ which: undefined, actor }, call),
    rpcs.endTokensOf({ of, actor: undefined }, call),
    rpcs.endTokensOf({ of: undefined, actor }, call),
    rpcs.endTokensOf({ of: { $case: 'userId', value: '' }, actor }, call),
    keyRpcs(noSigningKeys).rotateKeyOfAlgorithm({ actor: undefined, immediately: true }, call),
    keyRpcs(noSigningKeys).rotateKeyOfAlgorithm({ actor: { ...actor, id: '' }, immediately: false }, call),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_request' })
  }
  expect(deps.tokens.endAccessToken).not.toHaveBeenCalled()
  expect(deps.tokens.endTokensOf).not.toHaveBeenCalled()
})

test('counts a token that it revokes, but not one that was already revoked', async () => {
  const { deps, rpcs } = start()
  const end = () => rpcs.endToken({ which: { $case: 'key', value: { jti, exp: 7 } }, actor }, call)
  const endAccessToken = vi.mocked(deps.tokens.endAccessToken)
  endAccessToken.mockResolvedValue({
    outcome: 'ended',
    clientId: 'client_a',
    userId: undefined,
    kind: 'access_token',
    id: jti,
  })
  await end()
  expect(deps.tokens.endAccessToken).toHaveBeenCalledWith({ jti, expiresAt: 7 }, sameActor)
  endAccessToken.mockResolvedValue({ outcome: 'ended before' })
  await end()
  endAccessToken.mockResolvedValue({ outcome: 'unknown' })
  await expect(end()).rejects.toMatchObject({ code: 'not_found' })
  expect(deps.metrics.revoked).toHaveBeenCalledTimes(1)
})

test('revokes all tokens of a client or a user in the actor’s name', async () => {
  const { deps, rpcs } = start()
  await rpcs.endTokensOf({ of: { $case: 'clientId', value: 'c' }, actor }, call)
  expect(deps.tokens.endTokensOf).toHaveBeenCalledWith({ kind: 'client', id: 'c' }, sameActor)
})
