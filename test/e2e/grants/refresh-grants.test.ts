import { expiringSecret, expiryOf } from '@gatehouse/kit/expiring-secret'
import { browse, submit } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import {
  credentialsOf,
  expectNotStored,
  expectRefusal,
  introspectionOf,
  untilReady,
} from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  actor,
  addPerson,
  codeFor,
  digestOf,
  identityOf,
  isActive,
  named,
  type Person,
  password,
  query,
  redeem,
  refresh,
  registerApp,
  tokensFor,
  tokensOf,
} from '../logins/login-people.ts'

let system: TestSystem
let client: RegisteredClient
let person: Person
beforeAll(async () => {
  system = await startTestSystem({
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    OAUTH2_PASSWORD_GRANT_ENABLED: 'true',
  })
  await untilReady(system)
  client = await registerApp(system)
  person = await addPerson(system)
})
afterAll(() => system?.stop())

/** The same secret with an expiry that is a year later. */
const prolonged = (secret: string) =>
  expiringSecret(Buffer.from(secret, 'base64url'), (expiryOf(secret) ?? 0) + 31_536_000)

/** Polling for a direct change of a client to reach the token service, which takes at most 1.5 s. */
const soon = { timeout: 4_000, interval: 100 }

test('shows the enabled grants in discovery', async () => {
  const response = await system.request('/.well-known/openid-configuration')
  expect(await response.json()).toMatchObject({
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token', 'password'],
  })
})

describe('a refresh token', () => {
  test('is issued to clients registered for it, and only its digest is stored', async () => {
    const { refresh_token: token } = await tokensFor(system, person, client)
    expect(token).toMatch(/^[\w-]{43}$/)
    const rows = await query(system, 'select t::text as row from token.refresh_tokens t')
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) expect(row).not.toContain(token.slice(0, 12))
    const without = await registerApp(system, { grant_types: ['authorization_code'] })
    expect((await tokensFor(system, person, without)).refresh_token).toBe('')
    await expectRefusal(await refresh(system, without, token), 400, 'unauthorized_client')
  })

  test('has a successor at each of twenty uses, and every access token stays active', async () => {
    let { refresh_token: token } = await tokensFor(system, person, client)
    const seen = new Set([token])
    for (let round = 1; round <= 20; round += 1) {
      const response = await refresh(system, client, token)
      expectNotStored(response)
      const next = await tokensOf(response)
      expect(await isActive(system, next.access_token)).toBe(true)
      token = next.refresh_token ?? ''
      seen.add(token)
    }
    expect(seen.size).toBe(21)
  })

  test('carries its expiry, and is unknown with another one, as a code is', async () => {
    const code = await codeFor(system, person, client)
    const changed = prolonged(code.code ?? '')
    await expectRefusal(
      await redeem(system, credentialsOf(client), { ...code, code: changed }),
      400,
      'invalid_grant',
    )
    const first = await tokensOf(await redeem(system, credentialsOf(client), code))
    const next = await tokensOf(await refresh(system, client, first.refresh_token ?? ''))
    for (const token of [first.refresh_token ?? '', next.refresh_token ?? '']) {
      expect(Math.abs((expiryOf(token) ?? 0) - Date.now() / 1000 - 2_592_000)).toBeLessThan(60)
      await expectRefusal(await refresh(system, client, prolonged(token)), 400, 'invalid_grant')
    }
    expect(await isActive(system, next.access_token)).toBe(true)
    await tokensOf(await refresh(system, client, next.refresh_token ?? ''))
  })

  test('may narrow the scope of an access token, and keeps its own scope', async () => {
    const { refresh_token: token, scope } = await tokensFor(system, person, client)
    expect(scope).toBe('read write profile')
    const narrow = await tokensOf(await refresh(system, client, token, { scope: 'profile read' }))
    expect(narrow.scope).toBe('profile read')
    expect(claimsOf(narrow.access_token).scope).toBe('profile read')
    expect(JSON.parse(await introspectionOf(system, narrow.access_token)).scope).toBe('profile read')
    const wide = await tokensOf(await refresh(system, client, narrow.refresh_token ?? ''))
    expect(wide.scope).toBe('read write profile')
  })

  test.each(['email', 'read email', 'admin', 'read  write', ' read', 'readwrite', 'read\n'])(
    'is refused for the scope %j, and stays valid',
    async (scope) => {
      const { refresh_token: token } = await tokensFor(system, person, client)
      await expectRefusal(await refresh(system, client, token, { scope }), 400, 'invalid_scope')
      await tokensOf(await refresh(system, client, token))
    },
  )

  test('is valid only for its client', async () => {
    const other = await registerApp(system)
    const { refresh_token: token, access_token } = await tokensFor(system, person, client)
    await expectRefusal(await refresh(system, other, token), 400, 'invalid_grant')
    await expectRefusal(
      await refresh(system, client, token, { client_secret: 'wrong' }),
      401,
      'invalid_client',
    )
    await expectRefusal(await refresh(system, client, token, { client_secret: '' }), 401, 'invalid_client')
    expect(await isActive(system, access_token)).toBe(true)
    await tokensOf(await refresh(system, client, token))
  })

  test.each(named(['', 'unknown', 'a'.repeat(43), 'a'.repeat(60_000), '\u{1F511}'.repeat(11)]))(
    'is refused when it is %s',
    async (_, token) => {
      const error = token === '' ? 'invalid_request' : 'invalid_grant'
      await expectRefusal(await refresh(system, client, token), 400, error)
      const { access_token } = await tokensFor(system, person, client)
      await expectRefusal(await refresh(system, client, access_token), 400, 'invalid_grant')
    },
  )

  test('is refused after it has expired', async () => {
    const { refresh_token: token } = await tokensFor(system, person, client)
    await query(system, 'update token.refresh_tokens set expires_at = now() where token_digest = $1', [
      digestOf(token),
    ])
    await expectRefusal(await refresh(system, client, token), 400, 'invalid_grant')
  })

  test('is not accepted as an access token', async () => {
    const { refresh_token: token } = await tokensFor(system, person, client)
    expect(await introspectionOf(system, token)).toBe('{"active":false}')
  })
})

describe('a grant is revoked when', () => {
  /** Expects that a grant gives no more tokens, and that its tokens are inactive. */
  async function expectEnded(
    owner: RegisteredClient,
    tokens: { access_token: string; refresh_token: string },
  ) {
    await expectRefusal(await refresh(system, owner, tokens.refresh_token), 400, 'invalid_grant')
    expect(await introspectionOf(system, tokens.access_token)).toBe('{"active":false}')
  }

  test('its refresh token is revoked, whatever the hint', async () => {
    for (const hint of ['refresh_token', 'access_token', 'nonsense']) {
      const tokens = await tokensFor(system, person, client)
      const next = await tokensOf(await refresh(system, client, tokens.refresh_token))
      const form = { token: next.refresh_token ?? '', token_type_hint: hint, ...credentialsOf(client) }
      const response = await system.form('/oauth/revoke', form)
      expect([response.status, await response.text()]).toEqual([200, '{}'])
      await expectEnded(client, tokens)
      expect(await isActive(system, next.access_token)).toBe(false)
      await expectRefusal(await refresh(system, client, next.refresh_token ?? ''), 400, 'invalid_grant')
    }
  })

  test('but not when an access token is revoked, or another client tries', async () => {
    const tokens = await tokensFor(system, person, client)
    const other = await registerApp(system)
    const wish = { token: tokens.refresh_token, ...credentialsOf(other) }
    await expectRefusal(await system.form('/oauth/revoke', wish), 400, 'unauthorized_client')
    const own = { token: tokens.access_token, ...credentialsOf(client) }
    expect((await system.form('/oauth/revoke', own)).status).toBe(200)
    expect(await isActive(system, tokens.access_token)).toBe(false)
    const next = await tokensOf(await refresh(system, client, tokens.refresh_token))
    expect(await isActive(system, next.access_token)).toBe(true)
  })

  test('the user withdraws the consent', async () => {
    const leaving = await addPerson(system)
    const tokens = await tokensFor(system, leaving, client)
    const others = await tokensFor(system, person, client)
    await submit(system, leaving.jar, '/account/apps/withdraw', { client_id: client.client_id })
    await expectEnded(client, tokens)
    expect(await isActive(system, others.access_token)).toBe(true)
  })

  test('the user changes the password', async () => {
    const leaving = await addPerson(system)
    const tokens = await tokensFor(system, leaving, client)
    const code = await codeFor(system, leaving, client)
    const others = await tokensFor(system, person, client)
    const form = {
      current_password: password,
      new_password: 'another good password',
      new_password_again: 'another good password',
    }
    const changed = await submit(system, leaving.jar, '/account/password', form)
    expect(changed.headers.get('location')).toBe('/account?done=password')
    await expectEnded(client, tokens)
    await expectRefusal(await redeem(system, credentialsOf(client), code), 400, 'invalid_grant')
    expect(await isActive(system, others.access_token)).toBe(true)
    // The session in which the password was changed stays, and new grants of the user are active.
    expect(await isActive(system, (await tokensFor(system, leaving, client)).access_token)).toBe(true)
  })

  test('the user is disabled, and enabling them brings nothing back', async () => {
    const leaving = await addPerson(system)
    const tokens = await tokensFor(system, leaving, client)
    const code = await codeFor(system, leaving, client)
    const identity = identityOf(system)
    try {
      const kept = { userId: leaving.userId, admin: undefined, attributes: undefined, actor }
      await identity.updateUser({ ...kept, disabled: true })
      await expectEnded(client, tokens)
      await expectRefusal(await redeem(system, credentialsOf(client), code), 400, 'invalid_grant')
      expect((await browse(system, leaving.jar, '/account')).status).toBe(302)
      const again = await submit(system, new Map(), '/auth/login', { username: leaving.username, password })
      expect(again.status).toBe(401)
      await identity.updateUser({ ...kept, disabled: false })
    } finally {
      identity.close()
    }
    await expectEnded(client, tokens)
    expect((await browse(system, leaving.jar, '/account')).status).toBe(302)
  })

  test('the client is deleted, disabled, or loses the refresh grant', { timeout: 30_000 }, async () => {
    const changes = {
      'delete from clients.clients where client_id = $1': [401, 'invalid_client'],
      'update clients.clients set disabled_at = now() where client_id = $1': [401, 'invalid_client'],
      "update clients.clients set grant_types = '{authorization_code}' where client_id = $1": [
        400,
        'unauthorized_client',
      ],
    } as const
    for (const [sql, [status, error]] of Object.entries(changes)) {
      const leaving = await registerApp(system)
      const tokens = await tokensFor(system, person, leaving)
      await query(system, sql, [leaving.client_id])
      const answer = async () => {
        const response = await refresh(system, leaving, tokens.refresh_token)
        return [response.status, ((await response.json()) as { error?: string }).error]
      }
      await expect.poll(answer, soon).toEqual([status, error])
    }
  })
})
