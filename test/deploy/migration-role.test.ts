import { randomUUID } from 'node:crypto'
import { createEmptyDatabase } from '@gatehouse/test/postgres/database'
import { sharedAdmin, startTestSystem } from '@gatehouse/test/system'
import { Client } from 'pg'
import { expect, test } from 'vitest'

test('services whose role makes no tables work on those of another role', { timeout: 180_000 }, async () => {
  await using stack = new AsyncDisposableStack()
  const database = await createEmptyDatabase()
  const client = new Client(database.url)
  await client.connect()
  const [services, migrates] = [
    `services_${randomUUID().slice(0, 8)}`,
    `migrates_${randomUUID().slice(0, 8)}`,
  ]
  stack.defer(async () => {
    await client.query(`drop owned by ${services}, ${migrates}; drop role ${services}, ${migrates}`)
    await client.end()
    await database.drop()
  })
  const as = (role: string) =>
    Object.assign(new URL(database.url), { username: role, password: 'secret' }).href
  await client.query(`
    create extension pg_trgm;
    create role ${services} login password 'secret';
    create role ${migrates} login password 'secret' in role ${services};
    grant create on database ${new URL(database.url).pathname.slice(1)} to ${migrates};
    grant create on schema public to ${migrates}`)

  const system = await startTestSystem({
    OAUTH2_DATABASE_URL: as(services),
    OAUTH2_MIGRATION_DATABASE_URL: as(migrates),
    OAUTH2_PASSWORD_GRANT_ENABLED: 'true',
    OAUTH2_SEED_USERNAME: sharedAdmin.username,
    OAUTH2_SEED_PASSWORD: sharedAdmin.password,
    OAUTH2_EVENTS_ENABLED: 'true',
  })
  stack.defer(() => system.stop())
  const grant_types = ['client_credentials', 'password']
  const { client_id, client_secret } = await system.register({
    client_name: 'Roles',
    grant_types,
    scope: 'read',
  })
  const authorization = `Basic ${btoa(`${client_id}:${client_secret}`)}`
  for (const parameters of [
    { grant_type: 'client_credentials', scope: 'read' },
    { grant_type: 'password', scope: 'read', ...sharedAdmin },
  ]) {
    const answer = await system.form('/oauth/token', parameters, { authorization })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    const introspected = await system.form('/oauth/introspect', { token }, { authorization })
    expect(await introspected.json()).toMatchObject({ active: true })
  }
  const { rows } = await client.query<{ owner: string; made: string }>(
    `select pg_get_userbyid(relowner) as owner, count(*) as made from pg_class
     where relispartition and relkind = 'r' group by 1`,
  )
  expect(rows).toEqual([{ owner: services, made: expect.stringMatching(/^[1-9]/) }])
  const health = await (await system.request('/health')).json()
  expect(health).toMatchObject({ status: 'healthy' })
})
