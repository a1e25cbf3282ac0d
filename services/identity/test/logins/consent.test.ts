import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { grantConsent, listConsents, withdrawConsent } from '../../src/logins/consent.ts'
import { getSession } from '../../src/logins/session.ts'
import { useReplicas } from '../store/replica.ts'

const shared = useReplicas()

/** Adds a user and logs them in. */
async function someone() {
  const user = await shared.addUser()
  const { id: sessionId, secret } = await shared.browserOf(user.username)
  return { userId: user.id, username: user.username, sessionId, secret }
}
type Someone = Awaited<ReturnType<typeof someone>>

const allow = (
  { secret, sessionId }: Pick<Someone, 'secret' | 'sessionId'>,
  scope = 'read',
  clientId = 'client_a',
) => grantConsent({ secret, sessionId, clientId, scope }, shared.replica().consents)
const consentOf = async ({ secret }: Pick<Someone, 'secret'>, clientId = 'client_a') =>
  (await getSession(secret, shared.another().sessions, clientId))?.consentedScope
const pendingOf = (userId: string) =>
  shared.query('select kind, target from identity.pending_revocations where target like $1', [`${userId}%`])

test('stores an allowed scope for this user and client, and returns it with the session', async () => {
  const user = await someone()
  expect(await consentOf(user)).toBe('')
  expect(await allow(user, 'read write')).toMatchObject({ id: user.sessionId, user: { id: user.userId } })
  expect(await consentOf(user)).toBe('read write')
  expect(await consentOf(user, 'client_b')).toBe('')
  expect(await consentOf(user, '')).toBeUndefined()
  expect(await consentOf(await someone())).toBe('')
  expect(await consentOf(await shared.browserOf(user.username))).toBe('read write')
})

test('returns the scope that the user has allowed the client of the login', async () => {
  const user = await someone()
  await allow(user)
  const login = (clientId: string) => shared.browserOf(user.username, { clientId })
  expect((await login('client_a')).session.consentedScope).toBe('read')
  expect((await login('client_b')).session.consentedScope).toBe('')
  expect((await login('')).session.consentedScope).toBeUndefined()
})

test('adds an allowed scope to the stored one, each value once', async () => {
  const user = await someone()
  for (const scope of ['write read', 'email read', 'write', 'profile']) await allow(user, scope)
  expect(await consentOf(user)).toBe('write read email profile')
})

test('stores all scopes that are allowed in many tabs at once', async () => {
  const user = await someone()
  const scopes = Array.from({ length: 10 }, (_, index) => `scope-${index}`)
  await Promise.all(scopes.map((scope) => allow(user, scope)))
  expect((await consentOf(user))?.split(' ').toSorted()).toEqual(scopes)
})

test('stores nothing for a question of another session, not even one of the same user', async () => {
  const user = await someone()
  const sameUser = await shared.browserOf(user.username)
  for (const other of [sameUser.id, (await someone()).sessionId, randomUUID()])
    expect(await allow({ ...user, sessionId: other })).toMatchObject({ id: user.sessionId })
  expect(await allow({ ...user, sessionId: 'no uuid' })).toBeUndefined()
  expect(await consentOf(user)).toBe('')
})

test('stores nothing for an expired session or a disabled user', async () => {
  const [over, disabled] = [await someone(), await someone()]
  await shared.query('update identity.sessions set expires_at = now() where id = $1', [over.sessionId])
  await shared.query('update identity.users set disabled_at = now() where id = $1', [disabled.userId])
  for (const user of [over, disabled]) {
    expect(await allow(user)).toBeUndefined()
    expect(await listConsents(user.userId, shared.replica().consents)).toEqual([])
  }
  expect(await allow({ ...over, secret: 'a'.repeat(43) })).toBeUndefined()
})

test('lists a user’s consents, newest first', async () => {
  const user = await someone()
  const { userId } = user
  for (const clientId of ['client_a', 'client_b', 'client_a']) await allow(user, 'read', clientId)
  expect(await listConsents(userId, shared.replica().consents)).toEqual([
    { clientId: 'client_a', scope: 'read', grantedAt: expect.any(Date) },
    { clientId: 'client_b', scope: 'read', grantedAt: expect.any(Date) },
  ])
  expect(await listConsents('no uuid', shared.replica().consents)).toEqual([])
})

test('deletes a withdrawn consent, and at once revokes every token issued until then', async () => {
  const replica = shared.another()
  const user = await someone()
  const { userId } = user
  await allow(user)
  const [before] = await shared.query('select clock_timestamp()::text as now')
  await withdrawConsent(
    { userId, clientId: 'client_a' },
    { consents: replica.consents, deliver: replica.deliver },
  )
  expect(await consentOf(user)).toBe('')
  expect(replica.revoked).toMatchObject([{ kind: 'consent', target: `${userId}:client_a` }])
  const issuedBefore = replica.revoked[0]?.issuedBefore
  const [covers] = await shared.query(
    `select $1::timestamptz > $2::timestamptz as earlier, $1::timestamptz < now() + interval '1 s' as soon`,
    [issuedBefore, before?.now],
  )
  expect(covers).toEqual({ earlier: true, soon: true })
  expect(await pendingOf(userId)).toEqual([])
})

test('revokes the tokens of a client without a consent too, and those of no other client', async () => {
  const replica = shared.another()
  const user = await someone()
  const { userId } = user
  await allow(user)
  const deps = { consents: replica.consents, deliver: replica.deliver }
  await withdrawConsent({ userId, clientId: 'client_first_party' }, deps)
  expect(replica.revoked).toEqual([
    { kind: 'consent', target: `${userId}:client_first_party`, issuedBefore: expect.any(Date) },
  ])
  expect(await pendingOf(userId)).toEqual([])
  expect(await consentOf(user)).toBe('read')
})

test.each([
  ['an empty client_id', ''],
  // PostgreSQL could not index its revocation, so the token service would refuse it again and again.
  ['a client_id that is too long', 'é'.repeat(1_025)],
])('adds no pending revocation for %s', async (_, clientId) => {
  const replica = shared.another()
  const { userId } = await someone()
  const deps = { consents: replica.consents, deliver: replica.deliver }
  await withdrawConsent({ userId, clientId }, deps)
  await withdrawConsent({ userId: 'no uuid', clientId: 'client_a' }, deps)
  expect(replica.revoked).toEqual([])
  expect(await pendingOf(userId)).toEqual([])
})

test('finds the clients to which anybody has consented, until the last consent is withdrawn', async () => {
  const [one, other] = [await someone(), await someone()]
  const [clientId, unused] = [`client_${randomUUID()}`, `client_${randomUUID()}`]
  await allow(one, 'read', clientId)
  await allow(other, 'read', clientId)
  const { consents } = shared.replica()
  const used = () => consents.findClients([unused, clientId])
  expect(await used()).toEqual([clientId])
  await consents.withdraw(one.userId, clientId, undefined)
  expect(await used()).toEqual([clientId])
  await consents.withdraw(other.userId, clientId, undefined)
  expect(await used()).toEqual([])
  expect(await consents.findClients([])).toEqual([])
})
