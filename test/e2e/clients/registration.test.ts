import { hash } from 'node:crypto'
import {
  basic,
  credentialsOf,
  expectNotStored,
  expectRefusal,
  issueToken,
  untilReady,
} from '@gatehouse/test/oauth'
import {
  type RegisteredClient,
  sharedTestSystem,
  startTestSystem,
  type TestSystem,
} from '@gatehouse/test/system'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const count = process.env.GATEHOUSE_TEST_LONG ? 10_000 : 500
const callers = 32

describe('open registration', () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await sharedTestSystem()
    await untilReady(system)
  })

  test('answers with everything that was sent, the defaults and the credentials', async () => {
    const response = await system.json('/clients/register', { redirect_uris: ['https://app.example/cb'] })
    expectNotStored(response)
    const before = Date.now()
    const body = (await response.json()) as Record<string, unknown>
    const clientId = expect.stringMatching(/^client_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect([response.status, body]).toEqual([
      201,
      {
        client_id: clientId,
        client_secret: expect.stringMatching(/^[\w-]{43}$/),
        client_name: body.client_id,
        redirect_uris: ['https://app.example/cb'],
        grant_types: ['authorization_code'],
        scope: 'read',
        token_endpoint_auth_method: expect.stringMatching(/^client_secret_(basic|post)$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
        client_id_issued_at: expect.any(Number),
        client_secret_expires_at: 0,
      },
    ])
    const createdAt = Date.parse(String(body.created_at))
    expect(Math.abs(createdAt - before)).toBeLessThan(5_000)
    expect(body.client_id_issued_at).toBe(Math.floor(createdAt / 1000))
  })

  test('takes every empty value as an absent one', async () => {
    const fields = [
      'client_name',
      'client_uri',
      'contacts',
      'software_id',
      'grant_types',
      'scope',
      'token_endpoint_auth_method',
    ]
    for (const empty of ['', [], null])
      for (const field of fields) {
        const sent = { redirect_uris: ['https://app.example/cb'], [field]: empty }
        const response = await system.json('/clients/register', sent)
        const body = (await response.json()) as Record<string, unknown>
        expect([response.status, body.scope, body.grant_types], `${field} ${JSON.stringify(empty)}`).toEqual([
          ...[201, 'read'],
          ['authorization_code'],
        ])
        expect([body.client_uri, body.contacts, body.software_id]).toEqual([undefined, undefined, undefined])
      }
    await expectRefusal(await system.json('/clients/register', { redirect_uris: [] }), 400, 'invalid_request')
  })

  test('echoes every field as it was sent', async () => {
    const metadata = {
      client_name: 'Ärger & Söhne 😀 <b>"quoted"</b>',
      redirect_uris: ['https://app.example/b', 'https://app.example/a', 'http://127.0.0.1/cb'],
      grant_types: ['client_credentials', 'refresh_token', 'authorization_code', 'password'],
      scope: 'write email read',
    }
    const response = await system.json('/clients/register', {
      ...metadata,
      logo_uri: 'https://app.example/logo.png',
    })
    expect([response.status, await response.json()]).toEqual([201, expect.objectContaining(metadata)])
  })

  test(`registers ${count} clients by ${callers} callers without losing or mixing up any, and stores no secret`, {
    timeout: 240_000,
  }, async () => {
    const clients: RegisteredClient[] = []
    const statuses = new Map<number, number>()
    let started = 0
    const caller = async () => {
      while (started < count) {
        const number = started++
        const response = await system.json('/clients/register', {
          client_name: `client ${number}`,
          grant_types: ['client_credentials'],
          scope: number % 2 ? 'read' : 'write',
        })
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        const body = (await response.json()) as RegisteredClient & { client_name: string; scope: string }
        if (response.status !== 201) continue
        expect(body).toMatchObject({ client_name: `client ${number}`, scope: number % 2 ? 'read' : 'write' })
        clients.push(body)
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    expect(Object.fromEntries(statuses)).toEqual({ 201: count })
    expect(new Set(clients.map(({ client_id }) => client_id)).size).toBe(count)
    expect(new Set(clients.map(({ client_secret }) => client_secret)).size).toBe(count)
    for (const { client_secret } of clients) expect(client_secret).toMatch(/^[\w-]{43}$/)

    const sample = Array.from(
      { length: 50 },
      (_, index) => clients[Math.floor((index * count) / 50)] as RegisteredClient,
    )
    const tokens = await Promise.all(sample.map((client) => issueToken(system, client)))
    expect(new Set(tokens).size).toBe(50)
    const crossed = { client_id: sample[0]?.client_id ?? '', client_secret: sample[1]?.client_secret ?? '' }
    await expectRefusal(
      await system.form('/oauth/token', { grant_type: 'client_credentials', ...crossed }),
      401,
      'invalid_client',
    )

    await expectOnlyDigests(system.databaseUrl, clients)
  })

  test('gives a secret that every authentication method accepts at once', async () => {
    for (let round = 0; round < 20; round++) {
      const client = await system.register()
      const form = { grant_type: 'client_credentials' }
      const [inBody, inHeader] = await Promise.all([
        system.form('/oauth/token', { ...form, ...credentialsOf(client) }),
        system.form('/oauth/token', form, basic(client.client_id, client.client_secret)),
      ])
      expect([inBody.status, inHeader.status]).toEqual([200, 200])
    }
  })
})

/** Expects that the clients' tables have the SHA-256 of each secret, and no secret in a readable form. */
async function expectOnlyDigests(databaseUrl: string, clients: readonly RegisteredClient[]): Promise<void> {
  const database = new Client(databaseUrl)
  await database.connect()
  try {
    const stored = await database.query<{ client_id: string; digest: string }>(
      "select client_id, encode(secret_digest, 'hex') as digest from clients.client_secrets",
    )
    const digests = new Map(stored.rows.map(({ client_id, digest }) => [client_id, digest]))
    for (const { client_id, client_secret } of clients) {
      expect(digests.get(client_id)).toBe(hash('sha256', client_secret, 'hex'))
    }
    const rows = await database.query<{ text: string }>(
      'select t::text as text from clients.clients t union all select s::text from clients.client_secrets s',
    )
    const everything = rows.rows.map(({ text }) => text).join('\n')
    for (const { client_secret } of clients.slice(0, 200)) {
      expect(everything).not.toContain(client_secret)
      expect(everything).not.toContain(Buffer.from(client_secret).toString('hex'))
      expect(everything).not.toContain(Buffer.from(client_secret, 'base64url').toString('hex'))
    }
  } finally {
    await database.end()
  }
}

describe('registration by token', () => {
  const registrationToken = 'the-registration-token-of-these-tests'
  let system: TestSystem
  beforeAll(async () => {
    system = await startTestSystem({
      OAUTH2_REGISTRATION: 'token',
      OAUTH2_REGISTRATION_TOKEN: registrationToken,
    })
    await untilReady(system)
  })
  afterAll(() => system?.stop())

  const register = (authorization?: string) =>
    system.json(
      '/clients/register',
      { grant_types: ['client_credentials'] },
      authorization ? { authorization } : {},
    )

  test.each([
    undefined,
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    `Bearer ${registrationToken}x`,
    `Bearer ${registrationToken.slice(0, -1)}`,
    `Bearer ${registrationToken.toUpperCase()}`,
    `Bearer ${registrationToken} ${registrationToken}`,
    `Basic ${registrationToken}`,
    registrationToken,
  ])('with %j is refused with a challenge', async (authorization) => {
    const response = await register(authorization)
    expectNotStored(response)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    await expectRefusal(response, 401, 'invalid_token')
  })

  test('succeeds with the token, which is checked before the body', async () => {
    expect((await register(`Bearer ${registrationToken}`)).status).toBe(201)
    expect((await register(`bearer ${registrationToken}`)).status).toBe(201)
    await expectRefusal(
      await system.json('/clients/register', { grant_types: ['nonsense'] }),
      401,
      'invalid_token',
    )
    const good = { authorization: `Bearer ${registrationToken}` }
    await expectRefusal(
      await system.json('/clients/register', { grant_types: ['nonsense'] }, good),
      400,
      'invalid_request',
    )
  })
})

describe('closed registration', () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await startTestSystem({ OAUTH2_REGISTRATION: 'closed' })
    await untilReady(system)
  })
  afterAll(() => system?.stop())

  test('refuses every caller, and is not in the metadata', async () => {
    for (const headers of [{}, { authorization: 'Bearer anything' }]) {
      const response = await system.json(
        '/clients/register',
        { grant_types: ['client_credentials'] },
        headers,
      )
      expectNotStored(response)
      await expectRefusal(response, 403, 'access_denied')
    }
    const metadata = await (await system.request('/.well-known/oauth-authorization-server')).json()
    expect(metadata).not.toHaveProperty('registration_endpoint')
  })
})
