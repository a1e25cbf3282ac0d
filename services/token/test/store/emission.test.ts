import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { someActor } from '../keys/key-store.ts'
import { useAdministration } from './administered.ts'

const { start } = useAdministration()

type Replica = ReturnType<typeof start>['replica']
const typesOf = ({ events }: Replica) => events.map(({ type }) => type)
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }

test('emits the events of a code, its redemption, introspection and revocation', async () => {
  const { replica } = start()
  const { code, userId } = await replica.authorize()
  const { accessToken } = await replica.redeem(code)
  await replica.introspect(accessToken)
  await replica.revoke(accessToken)
  await replica.revoke(accessToken)
  await replica.introspect(accessToken)
  const clientId = 'client_a'
  const { jti } = claimsOf(accessToken)
  expect(replica.events).toEqual([
    { type: 'authorization_code_created', userId, clientId, metadata: { scope: 'read write' } },
    { type: 'client_validated', clientId, metadata: {} },
    { type: 'authorization_code_validated', userId, clientId, metadata: { scope: 'read write' } },
    {
      ...{ type: 'token_created', userId, clientId },
      metadata: { token_id: jti, grant_type: 'authorization_code', scope: 'read write' },
    },
    { type: 'token_validated', userId, clientId, metadata: { token_id: jti } },
    { type: 'token_revoked', clientId, metadata: { kind: 'access_token', id: jti } },
  ])
  // No event contains a part of a credential.
  for (const secret of [code, accessToken])
    expect(JSON.stringify(replica.events)).not.toContain(secret.slice(-20))
})

test('emits the events of an expired code and of a replayed one', async () => {
  const { replica } = start()
  const late = await replica.authorize('client_a', 0)
  await expect(replica.redeem(late.code)).rejects.toMatchObject({ code: 'invalid_grant' })
  expect(typesOf(replica)).toEqual([
    'authorization_code_created',
    'client_validated',
    'authorization_code_expired',
  ])
  replica.events.length = 0
  const { code } = await replica.authorize()
  await replica.redeem(code)
  await expect(replica.redeem(code)).rejects.toMatchObject({ code: 'invalid_grant' })
  expect(typesOf(replica).slice(-2)).toEqual(['client_validated', 'token_revoked'])
  expect(replica.events.at(-1)?.metadata).toMatchObject({ kind: 'grant' })
})

test('emits no client_validated for a public client', async () => {
  const { replica } = start()
  const { code } = await replica.authorize('client_public')
  await replica.redeem(code, { clientId: 'client_public' })
  expect(typesOf(replica)).not.toContain('client_validated')
  expect(typesOf(replica)).toContain('token_created')
})

test('emits the reuse of a refresh token with its grant', async () => {
  const { replica } = start()
  const first = await replica.logIn()
  const second = await replica.refresh(first.refreshToken)
  await replica.refresh(second.refreshToken)
  replica.events.length = 0
  await expect(replica.refresh(first.refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
  expect(typesOf(replica)).toEqual(['client_validated', 'token_revoked', 'refresh_token_reused'])
  const [revoked, reused] = replica.events.slice(1).map(({ metadata }) => metadata as Record<string, string>)
  expect(reused).toEqual({ grant_id: revoked?.id })
})

test('emits an administrator’s revocations together with their action', async () => {
  const { replica, end, endOf } = start()
  const { accessToken, refreshToken = '' } = await replica.logIn()
  replica.events.length = 0
  await end({ token: accessToken })
  await end({ token: accessToken })
  await end({ token: refreshToken })
  await endOf({ kind: 'user', id: 'somebody' })
  const { jti } = claimsOf(accessToken)
  expect(replica.events.map(({ type, metadata }) => [type, metadata])).toEqual([
    ['administrator_acted', expect.objectContaining({ action: 'token.end', target: jti })],
    ['token_revoked', { kind: 'access_token', id: jti }],
    ['administrator_acted', expect.objectContaining({ action: 'token.end', target: expect.any(String) })],
    ['token_revoked', { kind: 'grant', id: expect.any(String) }],
    ['administrator_acted', expect.objectContaining({ action: 'tokens.end', target: 'somebody' })],
    ['token_revoked', { kind: 'user', id: 'somebody' }],
  ])
  expect(replica.events[0]).toMatchObject({ [`${someActor.kind}Id`]: someActor.id })
})

test('emits nothing for revocations and redemptions that fail', async () => {
  const { replica, end } = start()
  const key = { jti: randomUUIDv7(), expiresAt: 2_000_000_000 }
  await expect(end({ key })).rejects.toMatchObject({ code: 'not_found' })
  await expect(replica.redeem('no such code')).rejects.toMatchObject({ code: 'invalid_grant' })
  expect(typesOf(replica)).toEqual(['client_validated'])
})
