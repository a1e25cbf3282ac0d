import { setTimeout as sleep } from 'node:timers/promises'
import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf, introspectionOf, issueToken, untilReady } from '@gatehouse/test/oauth'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'

const inactive = '{"active":false}'
const secret = 'the secret with which the system starts at first'

let database: TestDatabase
let system: TestSystem
let client: RegisteredClient
let token: string
beforeAll(async () => {
  database = await createDatabase()
  await restart({})
  client = await system.register()
  token = await issueToken(system, client)
})
afterAll(async () => {
  await system?.stop()
  await database?.drop()
})

/** Stops the system and starts it with other variables, at the same address and on the same database. */
async function restart(variables: Record<string, string>): Promise<void> {
  const port = system && new URL(system.baseUrl).port
  await system?.stop()
  system = await startTestSystem({
    OAUTH2_DATABASE_URL: database.url,
    OAUTH2_JWT_SECRET: secret,
    ...(port && { OAUTH2_SERVER_PORT: port }),
    ...variables,
  })
  await untilReady(system)
}

test('keeps clients and tokens through a restart, and applies a shorter lifetime to new tokens only', {
  timeout: 60_000,
}, async () => {
  await restart({ OAUTH2_ACCESS_TOKEN_TTL: '1' })
  expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)

  const short = await issueToken(system, client)
  const { exp, iat } = claimsOf(short) as unknown as { exp: number; iat: number }
  expect(exp - iat).toBe(1)
  await sleep(Math.max(0, exp * 1_000 - Date.now()))
  expect(await introspectionOf(system, short)).toBe(inactive)
  const revoked = await system.form('/oauth/revoke', { token: short, ...credentialsOf(client) })
  expect([revoked.status, await revoked.text()]).toEqual([200, '{}'])
})

test('rejects every earlier token after a change of the secret, but keeps the clients', {
  timeout: 60_000,
}, async () => {
  await restart({ OAUTH2_JWT_SECRET: 'another secret that is as long as it has to be' })
  expect(await introspectionOf(system, token)).toBe(inactive)
  const renewed = await issueToken(system, client)
  expect(JSON.parse(await introspectionOf(system, renewed)).active).toBe(true)

  await restart({})
  expect(await introspectionOf(system, renewed)).toBe(inactive)
  expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
})
