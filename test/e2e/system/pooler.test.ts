import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../support/postgres/database.ts'
import { program } from '../../support/programs/programs.ts'
import { startPgbouncer } from '../../support/servers/pgbouncer.ts'
import { startTestSystem, type TestSystem } from '../../support/system.ts'
import { addPerson, refresh, registerApp, tokensFor, tokensOf } from '../logins/login-people.ts'

const pgbouncer = await program('pgbouncer')

async function poolerOf(settings: Record<string, string | number>) {
  const database = await createDatabase()
  const pooler = await startPgbouncer(pgbouncer as string, database.url, settings)
  onTestFinished(async () => {
    await pooler.close()
    await database.drop()
  })
  return { url: pooler.url, direct: database.url }
}

/** Registers a client, and has it get, introspect and revoke a token. */
async function useTokens(system: TestSystem) {
  const { client_id, client_secret } = await system.register()
  const credentials = { client_id, client_secret }
  const issued = await system.form('/oauth/token', { grant_type: 'client_credentials', ...credentials })
  expect(issued.status).toBe(200)
  const { access_token: token } = (await issued.json()) as { access_token: string }
  const introspected = await system.form('/oauth/introspect', { token, ...credentials })
  expect(await introspected.json()).toMatchObject({ active: true, client_id })
  expect((await system.form('/oauth/revoke', { token, ...credentials })).status).toBe(200)
  const after = await system.form('/oauth/introspect', { token, ...credentials })
  expect(await after.json()).toEqual({ active: false })
  expect((await system.request('/ready')).status).toBe(200)
}

describe.skipIf(!pgbouncer)('a system behind PgBouncer', () => {
  test('works in session mode with the pooler’s defaults', async () => {
    const system = await startTestSystem({
      OAUTH2_DATABASE_URL: (await poolerOf({ pool_mode: 'session' })).url,
      OAUTH2_DATABASE_POOL_SIZE: '4',
    })
    onTestFinished(() => system.stop())
    await useTokens(system)
  })

  test('works in transaction mode: logins, codes, tokens and leaders, over three connections', async () => {
    const { url, direct } = await poolerOf({ pool_mode: 'transaction', default_pool_size: 3 })
    const system = await startTestSystem({
      OAUTH2_DATABASE_URL: url,
      OAUTH2_DATABASE_POOLER: 'transaction',
      OAUTH2_DATABASE_DIRECT_URL: direct,
      OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    })
    onTestFinished(() => system.stop())
    await useTokens(system)
    const app = await registerApp(system)
    const person = await addPerson(system)
    const { refresh_token } = await tokensFor(system, person, app)
    await tokensOf(await refresh(system, app, refresh_token))
    const database = new Client(direct)
    await database.connect()
    const offices = `select count(*)::int as leaders from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
    const { rows } = await database.query(offices).finally(() => database.end())
    // Those of token and of client-registry stand for election when they start.
    expect(rows[0].leaders).toBeGreaterThanOrEqual(2)
  })

  test('does not start in transaction mode, and says why in a sentence', async () => {
    const { url } = await poolerOf({ pool_mode: 'transaction' })
    await expect(startTestSystem({ OAUTH2_DATABASE_URL: url })).rejects.toThrow(
      /^The database 127\.0\.0\.1:\d+\/\w+ is behind a pooler in transaction or statement mode, .*$/,
    )
  })
})
