import { randomUUID } from 'node:crypto'
import { emitNothing } from '@gatehouse/kit/emission'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client-authentication.ts'
import { issueTokens } from '../../src/grants/table.ts'
import { createTokenAdministrationStore } from '../../src/store/token-administration.ts'
import { findAmong, kept, usersClient } from '../clients.ts'
import { useDatabase } from './database.ts'
import { redirectUri, startReplica } from './replica.ts'

const shared = useDatabase()
const every = new Set(['authorization_code', 'client_credentials', 'refresh_token', 'password'])
const credentials = [{ clientId: 'client_a', clientSecret: 'right' }]

/** The client registry's client, and a replica that has not heard of its changes unless it asks. */
let registered: Client
let cached: Client
let replica: ReturnType<typeof startReplica>
let asked = 0

beforeEach(async () => {
  const clientId = 'client_a'
  await shared.query('delete from token.client_changes')
  await shared.query(`delete from token.revocations where kind = 'client'`)
  registered = usersClient({ clientId, grantTypes: every, scope: 'read write admin' })
  cached = registered
  asked = 0
  replica = startReplica(shared.database, {
    findClient: (id) => findAmong([cached])(id),
    refreshClient: async () => {
      asked += 1
      const before = cached
      cached = registered
      return cached !== before
    },
  })
})

/** An administrator changes the client: every replica is told by the store, and no cache. */
async function change(changes: Partial<Client>): Promise<void> {
  registered = { ...registered, ...changes, revision: registered.revision + 1n }
  await replica.clientChanges.apply(registered)
}
const issue = (scope = '', from = credentials) =>
  issueTokens(
    { grantType: 'client_credentials', parameters: { scope }, credentials: from, ipAddress: '' },
    replica,
  )

describe('a scope that is taken from a client', () => {
  test('is gone from tokens that it has, and from those that it gets', async () => {
    const machine = await issue('read admin')
    const only = await issue('admin')
    const user = await replica.logIn('admin write')
    await change({ scope: 'read write' })
    expect(await replica.introspect(machine.accessToken)).toMatchObject({ scope: 'read' })
    expect(await replica.introspect(user.accessToken)).toMatchObject({ scope: 'write' })
    expect(await replica.isActive(only)).toBe(false)
    expect((await issue()).scope).toBe('read write')
    await expect(issue('admin')).rejects.toMatchObject({ code: 'invalid_scope' })
  })

  test('is not given for a code or a refresh token from before', async () => {
    const { code } = await replica.authorize('client_a', 600, 'read admin')
    const first = await replica.redeem((await replica.authorize('client_a', 600, 'read admin')).code)
    await change({ scope: 'read' })
    expect((await replica.redeem(code)).scope).toBe('read')
    const second = await replica.refresh(first.refreshToken)
    expect(second.scope).toBe('read')
    await expect(replica.refresh(second.refreshToken, { scope: 'admin' })).rejects.toMatchObject({
      code: 'invalid_scope',
    })
    expect((await replica.refresh(second.refreshToken, { scope: 'read' })).scope).toBe('read')
  })

  test('leaves nothing where it was all', async () => {
    const { code } = await replica.authorize('client_a', 600, 'admin')
    const { refreshToken } = await replica.redeem((await replica.authorize('client_a', 600, 'admin')).code)
    await change({ scope: 'read' })
    const nothing = { code: 'invalid_grant', detail: expect.stringContaining('anything of the scope') }
    await expect(replica.redeem(code)).rejects.toMatchObject(nothing)
    await expect(replica.refresh(refreshToken)).rejects.toMatchObject(nothing)
  })

  test('is not shown in the lists of administrators', async () => {
    const { accessToken } = await issue('read admin')
    const only = await issue('admin')
    await change({ scope: 'read' })
    const jti = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti as string
    const store = createTokenAdministrationStore(shared.database, 3600, emitNothing)
    const listed = await store.list({ kind: 'client', id: 'client_a' }, undefined, 50)
    const byJti = new Map(listed.map((token) => [token.jti, token]))
    expect(byJti.get(jti(accessToken))).toMatchObject({ scope: 'read', revoked: false })
    expect(byJti.get(jti(only.accessToken))).toMatchObject({ revoked: true })
  })
})

describe('a grant that is taken from a client', () => {
  test('ends the tokens that only it can have given', async () => {
    const byCode = await replica.redeem((await replica.authorize()).code)
    const byPassword = await replica.logIn()
    const refreshed = await replica.refresh(byCode.refreshToken)
    const tokens = [await issue(), byCode, refreshed, byPassword]
    const active = async () => Promise.all(tokens.map((token) => replica.isActive(token)))
    await change({ grantTypes: new Set(['authorization_code']) })
    expect(await active()).toEqual([false, true, true, false])
    await change({ grantTypes: new Set(['client_credentials']) })
    expect(await active()).toEqual([true, false, false, false])
    await change({ grantTypes: new Set(['client_credentials', 'password']) })
    expect(await active()).toEqual([true, false, false, true])
    await change({ grantTypes: every })
    expect(await active()).toEqual([true, true, true, true])
  })

  test('ends the refresh tokens that follow from it, and no others', async () => {
    const byCode = await replica.redeem((await replica.authorize()).code)
    const byPassword = await replica.logIn()
    await change({ grantTypes: new Set(['authorization_code', 'refresh_token']) })
    await expect(replica.refresh(byPassword.refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
    expect(await replica.refresh(byCode.refreshToken)).toMatchObject({ scope: 'read write' })
  })

  test('ends what a release before it granted only when no grant is left that could have given it', async () => {
    const user = await replica.logIn()
    await shared.query('update token.access_tokens set grant_type = null')
    await change({ grantTypes: new Set(['authorization_code']) })
    expect(await replica.isActive(user)).toBe(true)
    await change({ grantTypes: new Set(['client_credentials']) })
    expect(await replica.isActive(user)).toBe(false)
  })

  test('is refused at once, by a replica too that has not heard of it', async () => {
    const { code } = await replica.authorize()
    const { refreshToken } = await replica.redeem((await replica.authorize()).code)
    await change({ grantTypes: new Set() })
    const attempts = [issue(), replica.redeem(code), replica.refresh(refreshToken), replica.logIn()]
    for (const result of await Promise.allSettled(attempts)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unauthorized_client' } })
    }
    await expect(replica.authorize()).rejects.toMatchObject({ code: 'unauthorized_client' })
  })
})

test('a code for a redirect URI that was taken away is not redeemed', async () => {
  const { code } = await replica.authorize()
  await change({ redirectUris: ['https://app.example/other'] })
  await expect(replica.redeem(code)).rejects.toMatchObject({
    code: 'invalid_grant',
    detail: expect.stringContaining('redirect_uri is no longer registered'),
  })
  await expect(replica.redeem(code, { redirectUri })).rejects.toMatchObject({ code: 'invalid_grant' })
  await change({ redirectUris: [redirectUri] })
  expect(await replica.redeem(code)).toMatchObject({ scope: 'read write' })
})

test('a code for a loopback redirect URI is redeemed whatever its port, as it was given', async () => {
  await change({ redirectUris: ['http://127.0.0.1/cb', 'http://[::1]:80/cb'] })
  cached = registered
  for (const uri of ['http://127.0.0.1:4711/cb', 'http://[::1]:8080/cb', 'http://127.0.0.1/cb']) {
    const { code } = await replica.authorize('client_a', 600, 'read', uri)
    expect(await replica.redeem(code, { redirectUri: uri })).toMatchObject({ scope: 'read' })
  }
})

describe('a secret', () => {
  const [old, renewed] = [credentials, [{ clientId: 'client_a', clientSecret: 'new' }]]

  test('that was replaced is refused, and the new one taken, by a replica that knows neither', async () => {
    await issue()
    await change({ secrets: [kept('new')] })
    await expect(issue('', old)).rejects.toMatchObject({ code: 'invalid_client' })
    cached = { ...registered, revision: 1n, secrets: [kept('right')] }
    expect(await issue('', renewed)).toMatchObject({ scope: 'read write admin' })
  })

  test('that is wrong is looked up once, and then refused', async () => {
    await expect(issue('', [{ clientId: 'client_a', clientSecret: 'wrong' }])).rejects.toMatchObject({
      code: 'invalid_client',
    })
    expect(asked).toBe(1)
    await issue()
    expect(asked).toBe(1)
  })
})

describe('a client that is disabled', () => {
  test('has no active token, and gets none by a replica that has not heard of it', async () => {
    const tokens = [await issue(), await replica.logIn()]
    const { refreshToken } = await replica.logIn()
    await change({ disabled: true })
    expect(await Promise.all(tokens.map((token) => replica.isActive(token)))).toEqual([false, false])
    const attempts = [issue(), replica.refresh(refreshToken), replica.logIn()]
    for (const result of await Promise.allSettled(attempts)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'invalid_client' } })
    }
  })

  test('and enabled again gets tokens that live, however little the store was told', async () => {
    await change({ disabled: true })
    await change({ disabled: false })
    expect(await replica.isActive(await issue())).toBe(true)
    await change({ disabled: true })
    // Enabled again, of which the store has not heard yet.
    registered = { ...registered, disabled: false, revision: registered.revision + 1n }
    cached = registered
    expect(await replica.isActive(await issue())).toBe(true)
    expect(await replica.isActive(await replica.logIn())).toBe(true)
  })
})

test('a refresh gives nothing when no grant of the client can have begun it', async () => {
  const { refreshToken } = await replica.logIn()
  await change({ grantTypes: new Set(['refresh_token', 'client_credentials']) })
  await expect(replica.refresh(refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
})

test('a scope that is given back counts, also where the store has not heard of it', async () => {
  await change({ scope: 'read' })
  registered = { ...registered, scope: 'read admin', revision: registered.revision + 1n }
  cached = registered
  const token = await issue('admin')
  expect(await replica.introspect(token.accessToken)).toMatchObject({ scope: 'admin' })
})

test('a client that was deleted gets nothing by a replica that has not heard of it', async () => {
  const token = await issue()
  const { refreshToken } = await replica.logIn()
  await replica.clientChanges.end('client_a')
  expect(await replica.isActive(token)).toBe(false)
  for (const result of await Promise.allSettled([issue(), replica.refresh(refreshToken), replica.logIn()])) {
    expect(result).toMatchObject({ reason: { code: 'temporarily_unavailable' } })
  }
})

test('of two changes the later one counts, in whichever order they arrive', async () => {
  const token = await issue()
  const [second, third] = [
    { ...registered, revision: 2n, scope: 'write' },
    { ...registered, revision: 3n, scope: 'read' },
  ]
  await replica.clientChanges.apply(third)
  await replica.clientChanges.apply(second)
  await replica.clientChanges.apply(third)
  expect(await replica.introspect(token.accessToken)).toMatchObject({ scope: 'read' })
})

test('of many tokens that share a statement, those of a changed client are decided again, and no other', async () => {
  const other = usersClient({ clientId: 'client_b', grantTypes: every })
  const both = startReplica(shared.database, {
    findClient: async (id) => (id === 'client_b' ? other : cached),
    refreshClient: async (id) => {
      expect(id).toBe('client_a')
      cached = registered
      return true
    },
  })
  await change({ scope: 'read' })
  const tokens = await Promise.all(
    Array.from({ length: 40 }, (_, index) => {
      const clientId = index % 2 === 0 ? 'client_a' : 'client_b'
      const credentials = [{ clientId, clientSecret: 'right' }]
      return issueTokens(
        { grantType: 'client_credentials', parameters: {}, credentials, ipAddress: '' },
        both,
      )
    }),
  )
  expect(tokens.map(({ scope }) => scope)).toEqual(
    Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'read' : 'read write')),
  )
  for (const token of tokens) expect(await both.isActive(token)).toBe(true)
})

test('a change is kept until no token from before it can be alive, and while the client is disabled', async () => {
  const kept = async () =>
    (
      await shared.query(
        `select extract(epoch from expires_at - now())::float8 / 86400 as days from token.client_changes
         where client_id = $1`,
        [registered.clientId],
      )
    )[0]?.days
  await change({ scope: 'read' })
  expect(await kept()).toBeCloseTo(30)
  await change({ disabled: true })
  expect(await kept()).toBe(Number.POSITIVE_INFINITY)
  await replica.clientChanges.end(registered.clientId)
  expect(await kept()).toBeCloseTo(30)
})

test('a client that keeps changing is a 503, and nothing is stored', async () => {
  const grantId = randomUUID()
  replica = startReplica(shared.database, {
    findClient: async () => registered,
    refreshClient: async () => false,
  })
  await replica.clientChanges.apply({ ...registered, revision: 9n })
  await expect(
    replica.store.insert({
      ...{ expiresAt: Math.floor(Date.now() / 1000) + 60, jti: grantId, grantId },
      ...{ clientId: 'client_a', clientRevision: 1n, scope: 'read' },
    }),
  ).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(await shared.query('select from token.access_tokens where grant_id = $1', [grantId])).toEqual([])
  await expect(issue()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
})
