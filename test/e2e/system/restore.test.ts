import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@gatehouse/prisma/migrate'
import { browse, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, expectRefusal, issueToken, untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase as readDatabase } from '../../../lab/proof/src/world/database.ts'
import { checkPartitions } from '../../../lab/proof/src/world/state-checks.ts'
import { query, startToolServer, type ToolServer, toolFolder } from '../../support/postgres/postgres-tools.ts'
import {
  addPerson,
  authorizationRequest,
  isActive,
  type Person,
  password,
  pkce,
  refresh,
  registerApp,
  type TokenAnswer,
  tokensFor,
  tokensOf,
} from '../logins/login-people.ts'

if (!toolFolder) {
  const line = 'pg_dump and its server are missing (Debian: postgresql)'
  if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
  console.log(`${line}: its tests are skipped.`)
}

const secret = () => randomBytes(32).toString('base64url')
const secrets = { OAUTH2_JWT_SECRET: secret(), OAUTH2_SESSION_KEY: secret(), OAUTH2_SEED_PASSWORD: secret() }

/** The statement for operators that revokes everything of every client. */
const endEverything = `
  insert into token.revocations as r (kind, id, issued_before, expires_at)
  select 'client', client_id, now(), now() + interval '400 days' from clients.clients
  on conflict (kind, id) do update set
    issued_before = greatest(r.issued_before, excluded.issued_before),
    expires_at = greatest(r.expires_at, excluded.expires_at)`

describe.skipIf(!toolFolder)('a system whose database was restored from a dump', { timeout: 60_000 }, () => {
  let server: ToolServer
  let directory: string
  let dump: string
  let system: TestSystem
  let databaseUrl: string
  let machine: RegisteredClient
  let app: RegisteredClient
  let person: Person
  /** Tokens and cookies by what happened to them. */
  const before = {} as {
    machine: string
    revoked: string
    revokedLater: string
    tokens: TokenAnswer & { refresh_token: string }
    ended: TokenAnswer & { refresh_token: string }
    /** Its first refresh token, whose successor was used before the dump, and its newest. */
    old: string
    newest: TokenAnswer
    /** Used after the dump, so the app has its successor. */
    rotatedLater: TokenAnswer & { refresh_token: string }
  }
  const after = {} as { machine: string; successor: string; client: RegisteredClient }
  let loggedOutLater: Person

  beforeAll(async () => {
    server = await startToolServer()
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-dump-'))
    dump = join(directory, 'gatehouse.dump')
    await startOn(await server.createDatabase('first'))
    machine = await system.register()
    app = await registerApp(system)
    person = await addPerson(system)
    loggedOutLater = await addPerson(system)
    before.machine = await issueToken(system, machine)
    before.revoked = await issueToken(system, machine)
    before.revokedLater = await issueToken(system, machine)
    before.tokens = await tokensFor(system, person, app)
    before.ended = await tokensFor(system, person, app)
    before.rotatedLater = await tokensFor(system, person, app)
    const first = await tokensFor(system, person, app)
    const second = await tokensOf(await refresh(system, app, first.refresh_token))
    before.old = first.refresh_token
    before.newest = await tokensOf(await refresh(system, app, second.refresh_token ?? ''))
    await revoke(before.revoked, machine)
    await revoke(before.ended.refresh_token, app)

    await server.tool('pg_dump', '--format=custom', `--file=${dump}`, `--dbname=${databaseUrl}`)

    after.machine = await issueToken(system, machine)
    after.client = await system.register()
    const rotated = await tokensOf(await refresh(system, app, before.rotatedLater.refresh_token))
    after.successor = rotated.refresh_token ?? ''
    await revoke(before.revokedLater, machine)
    const kept = new Map(loggedOutLater.jar)
    await submit(system, loggedOutLater.jar, '/auth/logout', {})
    loggedOutLater.jar = kept
    expect(await isLoggedIn(loggedOutLater)).toBe(false)
    expect(await isActive(system, before.revokedLater)).toBe(false)
    await startOn(await restoreInto('second'))
  }, 120_000)
  afterAll(async () => {
    await system?.stop()
    await server?.stop()
    if (directory) await rm(directory, { recursive: true, force: true })
  })

  /** Stops the system and starts it on another database at the same address. */
  async function startOn(url: string, variables: Record<string, string> = {}): Promise<void> {
    const port = system && new URL(system.baseUrl).port
    await system?.stop()
    databaseUrl = url
    system = await startTestSystem({
      OAUTH2_DATABASE_URL: url,
      OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
      ...secrets,
      ...(port && { OAUTH2_SERVER_PORT: port }),
      ...variables,
    })
    await untilReady(system)
  }

  async function restoreInto(name: string): Promise<string> {
    const url = await server.createDatabase(name)
    await server.tool('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${url}`, dump)
    return url
  }

  async function revoke(token: string, client: RegisteredClient): Promise<void> {
    const response = await system.form('/oauth/revoke', { token, ...credentialsOf(client) })
    expect(response.status).toBe(200)
    await response.body?.cancel()
  }

  async function isLoggedIn({ jar }: Person): Promise<boolean> {
    const response = await browse(system, new Map(jar), '/account')
    await response.body?.cancel()
    return response.status === 200
  }

  test('has all tables, so no migration is pending', async () => {
    const log = { info: () => undefined, warn: () => undefined }
    expect(await migrate({ databaseUrl, log })).toEqual([])
  })

  test('knows its users, their sessions and consents, and its clients', async () => {
    expect(await isLoggedIn(person)).toBe(true)
    const jar = await logIn(system, person.username, password)
    const request = authorizationRequest(app, pkce().challenge)
    const answer = await browse(system, jar, `/oauth/authorize?${new URLSearchParams(request)}`)
    // No consent page, because the consent was restored.
    expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringContaining('code=')])
    await logIn(system, 'admin', secrets.OAUTH2_SEED_PASSWORD)
    expect(await isActive(system, await issueToken(system, machine))).toBe(true)
  })

  test('knows the tokens issued before the dump, and none issued after it', async () => {
    expect(await isActive(system, before.machine)).toBe(true)
    expect(await isActive(system, before.tokens.access_token)).toBe(true)
    expect(await isActive(system, after.machine)).toBe(false)
    const form = { grant_type: 'client_credentials', ...credentialsOf(after.client) }
    await expectRefusal(await system.form('/oauth/token', form), 401, 'invalid_client')
  })

  test('keeps tokens revoked that were revoked before the dump', async () => {
    expect(await isActive(system, before.revoked)).toBe(false)
    expect(await isActive(system, before.ended.access_token)).toBe(false)
    await expectRefusal(await refresh(system, app, before.ended.refresh_token), 400, 'invalid_grant')
  })

  test('accepts refresh tokens, and revokes the grant of one that was used before the dump', async () => {
    const next = await tokensOf(await refresh(system, app, before.tokens.refresh_token))
    expect(await isActive(system, next.access_token)).toBe(true)
    await expectRefusal(await refresh(system, app, before.old), 400, 'invalid_grant')
    expect(await isActive(system, before.newest.access_token)).toBe(false)
    await expectRefusal(await refresh(system, app, before.newest.refresh_token ?? ''), 400, 'invalid_grant')
  })

  test('refuses the refresh token of an app that refreshed after the dump, so its user must log in again', async () => {
    await expectRefusal(await refresh(system, app, after.successor), 400, 'invalid_grant')
    // The previous token of the app is unused again. A successor's expiry is part of it and counts from now, so the app
    // gets another token than after the dump.
    const again = await tokensOf(await refresh(system, app, before.rotatedLater.refresh_token))
    expect(await isActive(system, again.access_token)).toBe(true)
  })

  describe('restores what was ended after the dump:', () => {
    test('tokens and sessions are active', async () => {
      expect(await isActive(system, before.revokedLater)).toBe(true)
      expect(await isLoggedIn(loggedOutLater)).toBe(true)
    })

    test('new secrets end all sessions and access tokens, and leave the refresh tokens', async () => {
      const { refresh_token: token, access_token } = await tokensFor(system, person, app)
      await startOn(databaseUrl, { OAUTH2_JWT_SECRET: secret(), OAUTH2_SESSION_KEY: secret() })
      expect(await isLoggedIn(loggedOutLater)).toBe(false)
      for (const one of [before.machine, before.revokedLater, access_token]) {
        expect(await isActive(system, one)).toBe(false)
      }
      const next = await tokensOf(await refresh(system, app, token))
      expect(await isActive(system, next.access_token)).toBe(true)
    })

    test('one statement revokes everything that was issued, and new tokens are active at once', async () => {
      person.jar = await logIn(system, person.username, password)
      const tokens = await tokensFor(system, person, app)
      const own = await issueToken(system, machine)
      await query(databaseUrl, endEverything)
      for (const one of [tokens.access_token, own]) expect(await isActive(system, one)).toBe(false)
      await expectRefusal(await refresh(system, app, tokens.refresh_token), 400, 'invalid_grant')
      expect(await isActive(system, await issueToken(system, machine))).toBe(true)
      expect(await isActive(system, (await tokensFor(system, person, app)).access_token)).toBe(true)
    })
  })

  test('serves with a dump that is older than all of its partitions, by making new ones', async () => {
    const url = await restoreInto('third')
    const { partitions } = readDatabase(url)
    for (const name of await partitions()) await query(url, `drop table token.${name}`)
    expect(checkPartitions(await partitions(), Date.now()).failures).not.toEqual([])
    await startOn(url)
    expect(await isActive(system, await issueToken(system, machine))).toBe(true)
    await expect
      .poll(async () => checkPartitions(await partitions(), Date.now()).failures, { timeout: 10_000 })
      .toEqual([])
  })
})
