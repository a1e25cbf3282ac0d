import { until } from '@gatehouse/test/oauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ActionWorld, startActionWorld } from './admin-action.ts'
import { clientActions } from './admin-client-actions.ts'
import { userActions } from './admin-user-actions.ts'
import { bearer, type Items, rootName } from './admin-world.ts'

type AuditItem = {
  entry_id: string
  time: string
  actor: { kind: string; id: string; name: string; ip_address: string }
  action: string
  target: string
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

let world: ActionWorld
beforeAll(async () => {
  world = await startActionWorld()
})
afterAll(() => world?.stop())

/** The ways to authenticate as an administrator, each with the actor. */
const ways = {
  session: () => ({ who: world.root, actor: { kind: 'user', id: world.rootId, name: rootName } }),
  token: () => ({
    who: bearer(world.operatorToken),
    actor: { kind: 'client', id: world.operator.client_id, name: world.operator.client_id },
  }),
}

async function newestEntry(): Promise<AuditItem> {
  const { items } = await world.done<Items<AuditItem>>('GET', '/admin/api/audit?limit=1')
  return items[0] ?? expect.unreachable()
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('an administrator with a %s', (way) => {
  test.each(Object.entries({ ...clientActions, ...userActions }))('%s', async (_, act) => {
    const { who, actor } = ways[way]()
    const { action, target, ...states } = await act(world, who)
    const entry = await newestEntry()
    expect(entry).toMatchObject({ action, target, actor: { ...actor, ip_address: '127.0.0.1' } })
    expect(entry).toMatchObject(Object.fromEntries(Object.entries(states).filter(([, state]) => state)))
    for (const [name, state] of Object.entries(states)) if (!state) expect(entry).not.toHaveProperty(name)
    expect(Math.abs(Date.now() - Date.parse(entry.time))).toBeLessThan(60_000)
  })
})

test('names the user as the actor when a client uses an administrator’s token', async () => {
  const admin = await world.newUser(true)
  const token = await world.tokenOf(admin)
  world.secrets.add(token)
  const { client_id } = await world.newClient()
  const answer = await world.api(bearer(token), 'PATCH', `/admin/api/clients/${client_id}`, {
    client_name: 'Renamed',
  })
  expect(answer.status).toBe(200)
  expect((await newestEntry()).actor).toEqual({
    ...{ kind: 'user', id: admin.user_id, name: admin.username, ip_address: '127.0.0.1', user_agent: 'node' },
  })
})

test('refuses administrators who disable themselves', async () => {
  const path = `/admin/api/users/${world.rootId}`
  for (const [method, body] of [
    ['PATCH', { disabled: true }],
    ['PATCH', { admin: false }],
    ['DELETE', undefined],
  ] as const) {
    const { status, body: refusal } = await world.api(world.root, method, path, body)
    expect([status, refusal]).toMatchObject([403, { error: 'access_denied' }])
  }
  expect(await world.done('GET', path)).toMatchObject({ admin: true, disabled: false })
})

test.each([
  ['GET', '/admin/api/clients/client_of_nobody'],
  ['PATCH', '/admin/api/clients/client_of_nobody'],
  ['POST', '/admin/api/clients/client_of_nobody/secret'],
  ['DELETE', '/admin/api/clients/client_of_nobody/secrets/none'],
  ['GET', '/admin/api/users/00000000-0000-7000-8000-000000000000'],
  ['GET', '/admin/api/users/nobody'],
  ['PATCH', '/admin/api/users/nobody'],
  ['DELETE', '/admin/api/users/nobody'],
  ['POST', '/admin/api/users/nobody/password'],
  ['DELETE', '/admin/api/users/nobody/sessions'],
])('answers not_found to %s %s and writes no audit entry', async (method, path) => {
  const { entry_id: before } = await newestEntry()
  const { status, body } = await world.api(
    world.root,
    method,
    path,
    ['PATCH', 'POST'].includes(method) ? {} : undefined,
  )
  expect([status, body]).toMatchObject([404, { error: 'not_found' }])
  expect((await newestEntry()).entry_id).toBe(before)
})

test.each(['clients', 'users', 'tokens', 'audit'])('reads the list of %s page by page', async (noun) => {
  const key = { clients: 'client_id', users: 'user_id', tokens: 'jti', audit: 'entry_id' }[noun] ?? ''
  const read = async (limit: number) => {
    const found: string[] = []
    let cursor = ''
    do {
      const page = await world.done<{
        items: Record<string, string>[]
        next_cursor?: string
      }>('GET', `/admin/api/${noun}?limit=${limit}${cursor}`)
      expect(page.items.length).toBeLessThanOrEqual(limit)
      found.push(...page.items.map((item) => item[key] ?? ''))
      cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
    } while (cursor !== '')
    return found
  }
  const all = await read(200)
  expect(all.length).toBeGreaterThan(5)
  expect(new Set(all).size).toBe(all.length)
  expect(await read(3)).toEqual(all)
  for (const bad of ['limit=0', 'limit=201', 'limit=x', 'cursor=!', 'cursor=e30']) {
    const { status, body } = await world.api(world.root, 'GET', `/admin/api/${noun}?${bad}`)
    expect([bad, status, body]).toMatchObject([bad, 400, { error: 'invalid_request' }])
  }
})

test('has what concerns a user or a client in one list, page by page', async () => {
  type Item = { kind: string; time: string; failure?: string; reason?: string; action?: string }
  const user = await world.newUser()
  const client = await world.newClient()
  const loginForm = { username: user.username, password: 'a guess' }
  await world.system.form('/auth/login', loginForm)
  await world.done('PATCH', `/admin/api/users/${user.user_id}`, { disabled: true })
  const secret = { client_id: client.client_id, client_secret: 'a guess' }
  await world.system.form('/oauth/token', { grant_type: 'client_credentials', ...secret })

  const read = async (query: string, limit = 50) => {
    const found: Item[] = []
    let cursor = ''
    do {
      const path = `/admin/api/activity?${query}&limit=${limit}${cursor}`
      const page = await world.done<Items<Item> & { next_cursor?: string }>('GET', path)
      found.push(...page.items)
      cursor = page.next_cursor === undefined ? '' : `&cursor=${page.next_cursor}`
    } while (cursor !== '')
    return found
  }
  const ofUser = await read(`user_id=${user.user_id}`)
  expect(ofUser).toMatchObject([
    { kind: 'action', action: 'user.update' },
    { kind: 'login', failure: 'wrong_password' },
    { kind: 'action', action: 'user.create' },
  ])
  expect(await read(`user_id=${user.user_id}`, 1)).toEqual(ofUser)
  const ofClient = () => read(`client_id=${client.client_id}`)
  // Failures are stored within ten seconds.
  await until(async () => (await ofClient()).length === 2, 15_000)
  // The failure has the minute in which it happened, which may have begun before the client was created.
  expect((await ofClient()).map(({ reason, action }) => reason ?? action).sort()).toEqual([
    'client.create',
    'wrong_secret',
  ])
  expect(await read(`client_id=${client.client_id}&outcome=failed`, 1)).toMatchObject([
    { kind: 'client_authentication_failure' },
  ])
  for (const bad of ['cursor=!', 'cursor=e30', 'kind=x', 'limit=0'])
    expect((await world.api(world.root, 'GET', `/admin/api/activity?${bad}`)).status).toBe(400)
})

test('filters the audit log by actor and by target', async () => {
  const entry = await newestEntry()
  for (const [name, value] of [
    ['actor_id', entry.actor.id],
    ['target', entry.target],
  ] as const) {
    const { items } = await world.done<Items<AuditItem>>('GET', `/admin/api/audit?${name}=${value}`)
    expect(items[0]).toEqual(entry)
    for (const item of items) expect(name === 'target' ? item.target : item.actor.id).toBe(value)
  }
})

test('writes no secrets into the audit log', async () => {
  const { text } = await world.api(world.root, 'GET', '/admin/api/audit?limit=200')
  expect(world.secrets.size).toBeGreaterThan(20)
  for (const secret of world.secrets) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/argon2|digest|\$2[aby]\$/)
})

test('shows every process in the status', async () => {
  const { status, body } = await world.api(world.root, 'GET', '/admin/api/status')
  const service = (name: string, database: boolean) => ({
    service: name,
    healthy: true,
    replicas: [
      {
        instance: expect.any(String),
        address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        version: expect.any(String),
        healthy: true,
        ...(database && { database: 'connected' }),
        answered_in_ms: expect.any(Number),
      },
    ],
  })
  expect([status, body]).toEqual([
    200,
    {
      version: expect.any(String),
      database: 'connected',
      services: [
        {
          ...{ service: 'gateway', healthy: true },
          replicas: [{ instance: expect.any(String), version: expect.any(String), healthy: true }],
        },
        service('token', true),
        service('client-registry', true),
        service('identity', true),
        service('events', false),
      ],
      resource_indicators: false,
      organizations: false,
      cors_origins: [],
      client_origins: false,
    },
  ])
})

test('shows issued tokens, refusals and logins on the dashboard within half a minute', {
  timeout: 60_000,
}, async () => {
  const client = await world.newClient()
  for (let count = 0; count < 3; count += 1) await world.tokensOf(client)
  type Minute = { issued: Record<string, number>; refused: Record<string, number>; logins: number }
  await until(async () => {
    const { items } = await world.done<Items<Minute>>('GET', '/admin/api/usage')
    const issued = items.some(({ issued }) => (issued.client_credentials ?? 0) > 0)
    return issued && items.some(({ logins }) => logins > 0)
  }, 40_000)
  type Usage = Items<{ date: string; issued: number; refused: number }> & { last_used_at?: string }
  let usage: Usage = { items: [] }
  // The minute may have been another client's.
  await until(async () => {
    usage = await world.done<Usage>('GET', `/admin/api/clients/${client.client_id}/usage`)
    return usage.items.some(({ issued }) => issued >= 3)
  }, 40_000)
  expect(usage.items).toEqual([{ date: expect.any(String), issued: 3, refused: 0 }])
  expect(Date.now() - Date.parse(usage.last_used_at ?? '')).toBeLessThan(60_000)
})

test('records every login with its reason, but never an unknown name that was typed', async () => {
  const typed = `hunter2-${Date.now()}`
  await world.system.form('/auth/login', { username: typed, password: typed })
  type Login = { outcome: string; failure?: string; user?: { username: string }; ip_address: string }
  const { items } = await world.done<Items<Login>>('GET', '/admin/api/logins')
  expect(items[0]).toMatchObject({ outcome: 'failed', failure: 'unknown_user', ip_address: '127.0.0.1' })
  expect(JSON.stringify(items)).not.toContain(typed)
  const succeeded = await world.done<Items<Login>>('GET', '/admin/api/logins?outcome=succeeded')
  expect(succeeded.items.every(({ outcome, user }) => outcome === 'succeeded' && user !== undefined)).toBe(
    true,
  )
})
