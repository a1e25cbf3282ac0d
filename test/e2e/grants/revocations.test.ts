import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { RevocationKind, TokenServiceService } from '@gatehouse/proto/token/v1'
import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf, introspectionOf, issueToken, untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokensOf } from '../logins/login-people.ts'

let system: TestSystem
let tokens: RpcClient<typeof TokenServiceService>
let client: RegisteredClient
let other: RegisteredClient
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  const port = system.processes.find(({ name }) => name === 'token')?.grpcPort
  tokens = createRpcClient(TokenServiceService, `127.0.0.1:${port}`, 5_000)
  client = await system.register()
  other = await system.register()
})
afterAll(() => tokens?.close())

const isActive = async (token: string) => JSON.parse(await introspectionOf(system, token)).active

test('revokes a grant’s token at once, and no other', async () => {
  const [ended, kept, foreign] = [
    await issueToken(system, client),
    await issueToken(system, client),
    await issueToken(system, other),
  ]
  await tokens.revokeMany({
    kind: RevocationKind.REVOCATION_KIND_GRANT,
    id: claimsOf(ended).jti,
    issuedBefore: undefined,
  })
  expect(await introspectionOf(system, ended)).toBe('{"active":false}')
  expect([await isActive(kept), await isActive(foreign)]).toEqual([true, true])
})

test("revokes a client's tokens until now, but not later ones or those of others", async () => {
  const before = await Promise.all(Array.from({ length: 20 }, () => issueToken(system, client)))
  const foreign = await issueToken(system, other)
  await sleep(5)
  const revocation = { kind: RevocationKind.REVOCATION_KIND_CLIENT, id: client.client_id }
  const moment = new Date()
  await tokens.revokeMany({ ...revocation, issuedBefore: moment })
  await sleep(5)
  expect(await Promise.all(before.map(isActive))).toEqual(before.map(() => false))
  const after = await issueToken(system, client)
  expect([await isActive(after), await isActive(foreign)]).toEqual([true, true])

  // An earlier time that arrives later does not narrow the revocation.
  await tokens.revokeMany({ ...revocation, issuedBefore: new Date(moment.getTime() - 60_000) })
  expect(await Promise.all(before.map(isActive))).toEqual(before.map(() => false))
  expect(await isActive(after)).toBe(true)
})

test("revokes a client's tokens without an end, including those issued at the same moment", async () => {
  const doomed = await system.register()
  const ask = () =>
    system.form('/oauth/token', { grant_type: 'client_credentials', ...credentialsOf(doomed) })
  const early = Array.from({ length: 30 }, ask)
  const revocation = tokens.revokeMany({
    kind: RevocationKind.REVOCATION_KIND_CLIENT,
    id: doomed.client_id,
    issuedBefore: undefined,
  })
  const late = Array.from({ length: 30 }, ask)
  const all = await Promise.all([...early, ...late])
  await revocation
  // The registry still has the client, so late requests are told to try again.
  expect([200, 503]).toEqual(expect.arrayContaining(all.map(({ status }) => status)))
  const issued = await Promise.all(all.filter(({ status }) => status === 200).map(tokensOf))
  const active = await Promise.all(issued.map(({ access_token: token }) => isActive(token)))
  expect(active).toEqual(issued.map(() => false))
  expect((await ask()).status).toBe(503)
  expect(await isActive(await issueToken(system, other))).toBe(true)
})

test('accepts a repeated revocation, an unknown grant and a strange id', async () => {
  const kind = RevocationKind.REVOCATION_KIND_GRANT
  const id = randomUUIDv7()
  for (const one of [id, id, "' or 1=1 --", 'ü'.repeat(500)]) {
    await expect(tokens.revokeMany({ kind, id: one, issuedBefore: undefined })).resolves.toEqual({})
  }
})

test.each([
  [RevocationKind.REVOCATION_KIND_UNSPECIFIED, 'a'],
  [RevocationKind.REVOCATION_KIND_GRANT, ''],
  [99 as RevocationKind, 'a'],
])('refuses to revoke kind %j, id %j', async (kind, id) => {
  await expect(tokens.revokeMany({ kind, id, issuedBefore: undefined })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

test('answers every one of many concurrent revocations of a token with success', async () => {
  const token = await issueToken(system, client)
  const revoke = async () => {
    const response = await system.form('/oauth/revoke', { token, ...credentialsOf(client) })
    return [response.status, await response.text()]
  }
  const answers = await Promise.all(Array.from({ length: 20 }, revoke))
  expect(answers).toEqual(answers.map(() => [200, '{}']))
  expect(await isActive(token)).toBe(false)
})
