import { credentialsOf, until } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AdminWorld,
  bearer,
  type Credentials,
  isActiveFor,
  isLoggedIn,
  type KnownUser,
  rootName,
  sessionOf,
  startAdminWorld,
} from './admin-world.ts'

type AuditItem = {
  entry_id: string
  time: string
  actor: { kind: string; id: string; name: string; ip_address: string }
  action: string
  target: string
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

let world: AdminWorld
/** What must never be in a log. */
const secrets = new Set<string>()

beforeAll(async () => {
  world = await startAdminWorld()
  secrets.add(world.operator.client_secret).add(world.operatorToken)
})
afterAll(() => world?.stop())

/** The ways to come in as an administrator, each with who acts then. */
const ways = {
  session: () => ({ who: world.root, actor: { kind: 'user', id: world.rootId, name: rootName } }),
  token: () => ({
    who: bearer(world.operatorToken),
    actor: { kind: 'client', id: world.operator.client_id, name: world.operator.client_id },
  }),
}

async function newClient(metadata: object = {}): Promise<RegisteredClient> {
  const client = (await world.done('POST', '/admin/api/clients', {
    grant_types: ['client_credentials', 'password', 'refresh_token'],
    scope: 'read write',
    ...metadata,
  })) as unknown as RegisteredClient
  secrets.add(client.client_secret)
  return client
}

async function newUser(admin = false): Promise<KnownUser> {
  const user = await world.addUser(admin)
  secrets.add(user.password)
  return user
}

async function tokensOf(client: RegisteredClient, user?: KnownUser) {
  const grant = user
    ? { grant_type: 'password', username: user.username, password: user.password }
    : { grant_type: 'client_credentials' }
  const response = await world.system.form('/oauth/token', { ...grant, ...credentialsOf(client) })
  const tokens = JSON.parse(await response.text()) as { access_token: string; refresh_token?: string }
  return { status: response.status, ...tokens }
}

/** Whether a client gets a token. */
const serves = async (client: RegisteredClient) => (await tokensOf(client)).status === 200

async function newestEntry(): Promise<AuditItem> {
  const { items } = (await world.done('GET', '/admin/api/audit?limit=1')) as unknown as { items: AuditItem[] }
  return items[0] ?? expect.unreachable()
}

/** What an action did, which must be what the log says of it. */
type Done = { action: string; target: string; before?: object | undefined; after?: object | undefined }

const actions: Record<string, (who: Credentials) => Promise<Done>> = {
  'a client is created': async (who) => {
    const { status, body } = await world.api(who, 'POST', '/admin/api/clients', {
      ...{ client_name: 'Jobs', grant_types: ['client_credentials'], scope: 'read admin', first_party: true },
    })
    const client = body as unknown as RegisteredClient & Record<string, unknown>
    secrets.add(client.client_secret)
    expect([status, client]).toMatchObject([
      201,
      { client_name: 'Jobs', scope: 'read admin', first_party: true },
    ])
    expect(await serves(client)).toBe(true)
    return { action: 'client.create', target: client.client_id, before: undefined }
  },

  'a client is changed': async (who) => {
    const { client_id } = await newClient()
    const path = `/admin/api/clients/${client_id}`
    const { revision } = (await world.done('GET', path)) as unknown as { revision: number }
    const change = { client_name: 'Renamed', first_party: true, revision }
    const changed = await world.api(who, 'PATCH', path, change)
    expect([changed.status, changed.body]).toMatchObject([200, { client_name: 'Renamed' }])
    const stale = await world.api(who, 'PATCH', path, { client_name: 'Mine', revision })
    expect([stale.status, stale.body]).toMatchObject([400, { error: 'invalid_request' }])
    expect(await world.done('GET', path)).toMatchObject({ client_name: 'Renamed', first_party: true })
    return { action: 'client.update', target: client_id }
  },

  'a client is disabled, which ends its tokens, and enabled again': async (who) => {
    const client = await newClient()
    const { access_token: token } = await tokensOf(client)
    const path = `/admin/api/clients/${client.client_id}`
    expect((await world.api(who, 'PATCH', path, { disabled: true })).status).toBe(200)
    await until(async () => !(await isActiveFor(world, token)), 3_000)
    await until(async () => !(await serves(client)), 3_000)
    expect((await world.api(who, 'PATCH', path, { disabled: false })).status).toBe(200)
    expect(await isActiveFor(world, token)).toBe(false)
    await until(() => serves(client), 3_000)
    return { action: 'client.update', target: client.client_id }
  },

  'a client gets another secret, while the one before is good yet': async (who) => {
    const client = await newClient()
    const path = `/admin/api/clients/${client.client_id}/secret`
    const { status, body } = await world.api(who, 'POST', path, { overlap_seconds: 3_600 })
    const { client_secret, secrets: valid } = body as unknown as RegisteredClient & { secrets: object[] }
    secrets.add(client_secret)
    expect([status, valid]).toEqual([200, expect.arrayContaining([{}, { expires_at: expect.any(String) }])])
    await until(() => serves({ ...client, client_secret }), 3_000)
    expect(await serves(client)).toBe(true)

    // Then one at once: both before it end, but for the overlap that is asked for.
    const again = await world.api(who, 'POST', path)
    const last = (again.body as unknown as RegisteredClient).client_secret
    secrets.add(last)
    await until(async () => !(await serves(client)), 3_000)
    await until(() => serves({ ...client, client_secret: last }), 3_000)
    expect(await serves({ ...client, client_secret })).toBe(false)
    return { action: 'client.secret.rotate', target: client.client_id }
  },

  'all tokens of a client are ended': async (who) => {
    const client = await newClient()
    const { access_token: token } = await tokensOf(client)
    const { status, text } = await world.api(who, 'DELETE', `/admin/api/clients/${client.client_id}/tokens`)
    expect([status, text]).toEqual([204, ''])
    expect(await isActiveFor(world, token)).toBe(false)
    expect(await isActiveFor(world, (await tokensOf(client)).access_token)).toBe(true)
    return { action: 'tokens.end', target: client.client_id }
  },

  'a client is deleted, and its tokens end': async (who) => {
    const client = await newClient()
    const { access_token: token } = await tokensOf(client)
    const path = `/admin/api/clients/${client.client_id}`
    expect((await world.api(who, 'DELETE', path)).status).toBe(204)
    await until(async () => !(await isActiveFor(world, token)), 3_000)
    await until(async () => !(await serves(client)), 3_000)
    expect((await world.api(who, 'GET', path)).status).toBe(404)
    expect((await world.api(who, 'DELETE', path)).status).toBe(404)
    return { action: 'client.delete', target: client.client_id, after: undefined }
  },

  'one token is ended as a list shows it': async (who) => {
    const client = await newClient()
    const { access_token: token } = await tokensOf(client)
    const path = `/admin/api/tokens?client_id=${client.client_id}`
    const { body } = await world.api(who, 'GET', path)
    const [listed, ...others] = (body as unknown as { items: { jti: string; exp: number }[] }).items
    expect([listed, others]).toMatchObject([{ scope: 'read write', revoked: false }, []])
    const { jti, exp } = listed ?? expect.unreachable()
    expect((await world.api(who, 'POST', '/admin/api/tokens/revoke', { jti, exp })).status).toBe(204)
    expect(await isActiveFor(world, token)).toBe(false)
    expect((await world.done('GET', path)).items).toMatchObject([{ jti, revoked: true }])
    return { action: 'token.end', target: jti }
  },

  'a refresh token is ended with all that its grant gave': async (who) => {
    const [client, user] = [await newClient(), await newUser()]
    const { access_token: token, refresh_token: refreshToken = '' } = await tokensOf(client, user)
    secrets.add(token).add(refreshToken)
    const ended = await world.api(who, 'POST', '/admin/api/tokens/revoke', { token: refreshToken })
    expect(ended.status).toBe(204)
    expect(await isActiveFor(world, token)).toBe(false)
    const { items } = (await world.done('GET', `/admin/api/tokens?user_id=${user.user_id}`)) as unknown as {
      items: { grant_id: string }[]
    }
    expect(items).toMatchObject([{ username: user.username, revoked: true }])
    return { action: 'token.end', target: items[0]?.grant_id ?? '' }
  },

  'a user is created, and can log in': async (who) => {
    const [username, password] = [`new-${secrets.size}`, `the password of new ${secrets.size}`]
    secrets.add(password)
    const { status, body } = await world.api(who, 'POST', '/admin/api/users', { username, password })
    expect([status, body]).toMatchObject([201, { username, admin: false }])
    const { user_id: userId } = body as unknown as { user_id: string }
    await sessionOf(world.system, username, password)
    expect(await world.done('GET', `/admin/api/users/${userId}`)).toMatchObject({
      ...{ user_id: userId, username, admin: false, disabled: false, has_password: true },
      social_accounts: [],
    })
    const again = await world.api(who, 'POST', '/admin/api/users', { username, password })
    expect([again.status, again.body]).toMatchObject([400, { error: 'invalid_request' }])
    return { action: 'user.create', target: userId, before: undefined }
  },

  'a user is promoted, and may come in': async (who) => {
    const user = await newUser()
    const session = await sessionOf(world.system, user.username, user.password)
    expect((await world.api(session, 'GET', '/admin/api/keys')).status).toBe(403)
    const { status, body } = await world.api(who, 'PATCH', `/admin/api/users/${user.user_id}`, {
      admin: true,
    })
    expect([status, body]).toMatchObject([200, { admin: true }])
    expect((await world.api(session, 'GET', '/admin/api/keys')).status).toBe(200)
    return {
      ...{ action: 'user.update', target: user.user_id },
      ...{ before: { admin: false }, after: { admin: true } },
    }
  },

  'a user is disabled, which ends his sessions and tokens': async (who) => {
    const [client, user] = [await newClient(), await newUser()]
    const session = await sessionOf(world.system, user.username, user.password)
    const { access_token: token } = await tokensOf(client, user)
    const path = `/admin/api/users/${user.user_id}`
    const { status, body } = await world.api(who, 'PATCH', path, { disabled: true })
    expect([status, body]).toMatchObject([200, { disabled: true, disabled_at: expect.any(String) }])
    expect(await isLoggedIn(world.system, session)).toBe(false)
    await until(async () => !(await isActiveFor(world, token)), 3_000)
    return { action: 'user.update', target: user.user_id }
  },

  'a user gets another password, which nobody had to make up': async (who) => {
    const user = await newUser()
    const session = await sessionOf(world.system, user.username, user.password)
    const path = `/admin/api/users/${user.user_id}/password`
    const { status, body } = await world.api(who, 'POST', path)
    const { generated_password: generated } = body as unknown as { generated_password: string }
    secrets.add(generated)
    expect(status).toBe(200)
    expect(await isLoggedIn(world.system, session)).toBe(false)
    await expect(sessionOf(world.system, user.username, user.password)).rejects.toThrow()
    await sessionOf(world.system, user.username, generated)

    const chosen = 'another password of this user'
    secrets.add(chosen)
    const again = await world.api(who, 'POST', path, { new_password: chosen })
    expect([again.status, again.body]).toEqual([200, {}])
    await sessionOf(world.system, user.username, chosen)
    return { action: 'user.password.reset', target: user.user_id }
  },

  'one session of a user is ended, and then all': async (who) => {
    const user = await newUser()
    const sessions = await Promise.all(
      [1, 2, 3].map(() => sessionOf(world.system, user.username, user.password)),
    )
    const path = `/admin/api/users/${user.user_id}/sessions`
    const { items } = (await world.api(who, 'GET', path)).body as unknown as {
      items: { session_id: string }[]
    }
    expect(items).toHaveLength(3)
    const live = async () => {
      const states = await Promise.all(sessions.map((session) => isLoggedIn(world.system, session)))
      return states.filter(Boolean).length
    }
    expect((await world.api(who, 'DELETE', `${path}/${items[0]?.session_id}`)).status).toBe(204)
    expect(await live()).toBe(2)
    expect((await world.api(who, 'DELETE', path)).status).toBe(204)
    expect(await live()).toBe(0)
    return { action: 'user.sessions.end', target: user.user_id }
  },

  'all tokens of a user are ended': async (who) => {
    const [client, user] = [await newClient(), await newUser()]
    const { access_token: token } = await tokensOf(client, user)
    const { status } = await world.api(who, 'DELETE', `/admin/api/users/${user.user_id}/tokens`)
    expect(status).toBe(204)
    expect(await isActiveFor(world, token)).toBe(false)
    return { action: 'tokens.end', target: user.user_id }
  },

  'a user is deleted': async (who) => {
    const [client, user] = [await newClient(), await newUser()]
    const { access_token: token } = await tokensOf(client, user)
    const path = `/admin/api/users/${user.user_id}`
    expect((await world.api(who, 'DELETE', path)).status).toBe(204)
    await until(async () => !(await isActiveFor(world, token)), 3_000)
    expect((await world.api(who, 'GET', path)).status).toBe(404)
    return { action: 'user.delete', target: user.user_id, after: undefined }
  },

  'the signing key is rotated, and tokens that are out stay good': async (who) => {
    const { access_token: token } = await tokensOf(await newClient())
    const { status, body } = await world.api(who, 'POST', '/admin/api/keys/rotate')
    const { kid, ...rotated } = body as unknown as { kid: string; previous: { kid: string }[] }
    expect([status, rotated]).toMatchObject([
      200,
      { algorithm: 'HS256', created_at: expect.any(String), previous: expect.any(Array) },
    ])
    expect(await isActiveFor(world, token)).toBe(true)
    const { items } = (await world.api(who, 'GET', '/admin/api/keys')).body as unknown as {
      items: { kid: string; active: boolean; verifies_until?: string }[]
    }
    expect(items[0]).toMatchObject({ kid, active: true })
    expect(items.slice(1)).toMatchObject(rotated.previous)
    return { action: 'signing_key.rotate', target: kid }
  },
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('an administrator with a %s', (way) => {
  test.each(Object.entries(actions))('%s', async (_, act) => {
    const { who, actor } = ways[way]()
    const { action, target, ...states } = await act(who)
    const entry = await newestEntry()
    expect(entry).toMatchObject({ action, target, actor: { ...actor, ip_address: '127.0.0.1' } })
    expect(entry).toMatchObject(Object.fromEntries(Object.entries(states).filter(([, state]) => state)))
    for (const [name, state] of Object.entries(states)) if (!state) expect(entry).not.toHaveProperty(name)
    expect(Math.abs(Date.now() - Date.parse(entry.time))).toBeLessThan(60_000)
  })
})

test('an administrator whose token a client has acts himself', async () => {
  const admin = await newUser(true)
  const token = await world.tokenOf(admin)
  secrets.add(token)
  const { client_id } = await newClient()
  const answer = await world.api(bearer(token), 'PATCH', `/admin/api/clients/${client_id}`, {
    client_name: 'Renamed',
  })
  expect(answer.status).toBe(200)
  expect((await newestEntry()).actor).toEqual({
    ...{ kind: 'user', id: admin.user_id, name: admin.username, ip_address: '127.0.0.1' },
  })
})

test('no administrator shuts himself out', async () => {
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
  ['GET', '/admin/api/users/00000000-0000-7000-8000-000000000000'],
  ['GET', '/admin/api/users/nobody'],
  ['PATCH', '/admin/api/users/nobody'],
  ['DELETE', '/admin/api/users/nobody'],
  ['POST', '/admin/api/users/nobody/password'],
  ['DELETE', '/admin/api/users/nobody/sessions'],
])('%s %s: there is none, and nothing is logged', async (method, path) => {
  const { entry_id: before } = await newestEntry()
  const { status, body } = await world.api(world.root, method, path, method === 'PATCH' ? {} : undefined)
  expect([status, body]).toMatchObject([404, { error: 'not_found' }])
  expect((await newestEntry()).entry_id).toBe(before)
})

test.each(['clients', 'users', 'tokens', 'audit'])('the list of %s is read page by page', async (noun) => {
  const key = { clients: 'client_id', users: 'user_id', tokens: 'jti', audit: 'entry_id' }[noun] ?? ''
  const read = async (limit: number) => {
    const found: string[] = []
    let cursor = ''
    do {
      const page = (await world.done('GET', `/admin/api/${noun}?limit=${limit}${cursor}`)) as unknown as {
        items: Record<string, string>[]
        next_cursor?: string
      }
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

test('the log can be asked for one actor and for one target', async () => {
  const entry = await newestEntry()
  for (const [name, value] of [
    ['actor_id', entry.actor.id],
    ['target', entry.target],
  ] as const) {
    const { items } = (await world.done('GET', `/admin/api/audit?${name}=${value}`)) as unknown as {
      items: AuditItem[]
    }
    expect(items[0]).toEqual(entry)
    for (const item of items) expect(name === 'target' ? item.target : item.actor.id).toBe(value)
  }
})

test('the log has no secrets', async () => {
  const { text } = await world.api(world.root, 'GET', '/admin/api/audit?limit=200')
  expect(secrets.size).toBeGreaterThan(20)
  for (const secret of secrets) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/argon2|digest|\$2[aby]\$/)
})

test('the status shows every process', async () => {
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
    },
  ])
})

test('the dashboard hears within half a minute what the gateway counted', { timeout: 60_000 }, async () => {
  const client = await newClient()
  for (let count = 0; count < 3; count += 1) await tokensOf(client)
  type Sample = {
    issued: Record<string, number>
    requests: number
    durations: number[]
    latency_p95?: number
  }
  let samples: Sample[] = []
  await until(async () => {
    const { items } = (await world.done('GET', '/admin/api/traffic')) as unknown as { items: Sample[] }
    samples = items
    return items.some(({ issued }) => (issued.client_credentials ?? 0) > 0)
  }, 40_000)
  for (const { requests, durations } of samples) {
    expect(durations).toHaveLength(14)
    // Shares of a sample that two intervals have are rounded.
    expect(Math.abs(durations.reduce((sum, count) => sum + count, 0) - requests)).toBeLessThan(10)
  }
  expect(samples.some(({ latency_p95: latency }) => latency !== undefined && latency > 0)).toBe(true)
})
