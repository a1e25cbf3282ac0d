import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../support/postgres/database.ts'
import { program } from '../../support/programs/programs.ts'
import { startPgbouncer } from '../../support/servers/pgbouncer.ts'
import { startTestSystem } from '../../support/system.ts'

const pgbouncer = await program('pgbouncer')

async function poolerOf(settings: Record<string, string | number>) {
  const database = await createDatabase()
  const pooler = await startPgbouncer(pgbouncer as string, database.url, settings)
  onTestFinished(async () => {
    await pooler.close()
    await database.drop()
  })
  return pooler.url
}

describe.skipIf(!pgbouncer)('a system behind PgBouncer', () => {
  test('works in session mode with the pooler’s defaults', async () => {
    const system = await startTestSystem({
      OAUTH2_DATABASE_URL: await poolerOf({ pool_mode: 'session' }),
      OAUTH2_DATABASE_POOL_SIZE: '4',
    })
    onTestFinished(() => system.stop())
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
  })

  test('does not start in transaction mode, and says why in a sentence', async () => {
    const url = await poolerOf({ pool_mode: 'transaction' })
    await expect(startTestSystem({ OAUTH2_DATABASE_URL: url })).rejects.toThrow(
      /^The database 127\.0\.0\.1:\d+\/\w+ is behind a pooler in transaction or statement mode, .*$/,
    )
  })
})
