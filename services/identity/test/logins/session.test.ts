import { randomBytes, randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { expect, test } from 'vitest'
import { digestOf } from '../../src/basics/secret.ts'
import { endSession, getSession, listSessions, logIn } from '../../src/logins/session.ts'
import { attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const find = (secret: string) => getSession(secret, shared.replica().sessions)

const login = (username: string, changes: object = {}) => ({
  ...attemptOf(username, rightPassword),
  userAgent: 'A browser',
  previousSecret: undefined,
  ...changes,
})

test('a login begins a session of the user that lasts twelve hours', async () => {
  const user = await shared.addUser({ adminRole: 'owner' })
  const attempt = login(user.username, { ipAddress: '2001:db8::7' })
  const result = await logIn(attempt, shared.replica().login)
  if (result.outcome !== 'right') throw new Error(result.outcome)
  const { secret, session: begun } = result.value
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(begun.seenAt).toEqual(begun.createdAt)
  const session = await find(secret)
  expect(session).toEqual({
    attributeNames: [],
    consentedIn: [],
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    user: { id: user.id, username: user.username, adminRole: 'owner' },
    createdAt: expect.any(Date),
    expiresAt: begun.expiresAt,
    userAgent: 'A browser',
    ipAddress: '2001:db8::7',
    seenAt: expect.any(Date),
    authenticatedAt: begun.createdAt,
    lastSeenAt: begun.createdAt,
    methods: ['pwd'],
    connectionId: undefined,
    organizationLogins: [],
    organizationsOnly: false,
    secondFactorUnproven: false,
    secondFactorDue: false,
  })
  expect({ ...begun, seenAt: session?.seenAt }).toEqual(session)
  expect(begun.expiresAt.getTime() - begun.createdAt.getTime()).toBe(43_200_000)
})

test('a session’s seenAt is the moment of the query by the database’s clock', async () => {
  const { username } = await shared.addUser()
  const { secret } = await shared.browserOf(username)
  const now = async () => (await shared.query('select clock_timestamp() as now'))[0]?.now as Date
  const before = await now()
  const seenAt = (await find(secret))?.seenAt ?? new Date(0)
  expect(seenAt.getTime()).toBeGreaterThanOrEqual(before.getTime())
  expect(seenAt.getTime()).toBeLessThanOrEqual((await now()).getTime())
})

test('a session’s id does not authenticate, and the secret is not stored', async () => {
  const { username } = await shared.addUser()
  const { id, secret } = await shared.browserOf(username)
  expect(await find(id)).toBeUndefined()
  expect(await find('')).toBeUndefined()
  expect(await find(digestOf(secret).toString('base64url'))).toBeUndefined()
  expect(await find(`${secret.slice(0, -1)}_`)).toBeUndefined()
  const [row] = await shared.query('select s::text from identity.sessions s where id = $1', [id])
  expect(JSON.stringify(row)).not.toContain(secret)
  expect(JSON.stringify(row)).toContain(digestOf(secret).toString('hex'))
})

test.each([
  ['wrong', 'wrong password'],
  ['wrong', ''],
])('a login with a wrong password is %s and begins no session', async (outcome, password) => {
  const { id, username } = await shared.addUser()
  expect(await logIn(login(username, { password }), shared.replica().login)).toEqual({ outcome })
  expect(await listSessions(id, shared.replica().sessions)).toEqual([])
})

test('a login ends the browser’s previous session, even another user’s, and no other session', async () => {
  const attacker = await shared.addUser()
  const victim = await shared.addUser()
  const planted = await shared.browserOf(attacker.username)
  const elsewhere = await shared.browserOf(victim.username)
  const { secret } = await shared.browserOf(victim.username, { previousSecret: planted.secret })
  expect(secret).not.toBe(planted.secret)
  expect(await find(planted.secret)).toBeUndefined()
  expect((await find(secret))?.user.id).toBe(victim.id)
  expect(await find(elsewhere.secret)).toBeDefined()
})

test('a session goes on with a new secret when its user logs in again, but not once it has expired', async () => {
  const { username } = await shared.addUser()
  const first = await shared.browserOf(username)
  const again = await shared.browserOf(username, { previousSecret: first.secret })
  expect([again.id, again.session.createdAt]).toEqual([first.id, first.session.createdAt])
  expect(again.session.authenticatedAt.getTime()).toBeGreaterThan(first.session.authenticatedAt.getTime())
  expect(await find(first.secret)).toBeUndefined()
  expect(await find(again.secret)).toMatchObject({
    id: first.id,
    authenticatedAt: again.session.authenticatedAt,
  })
  await shared.query('update identity.sessions set expires_at = now() where id = $1', [first.id])
  const later = await shared.browserOf(username, { previousSecret: again.secret })
  expect(later.id).not.toBe(first.id)
})

test('a failed login leaves the browser’s session as it is', async () => {
  const { username } = await shared.addUser()
  const { secret } = await shared.browserOf(username)
  const attempt = login(username, { previousSecret: secret, password: 'wrong password' })
  await logIn(attempt, shared.replica().login)
  expect(await find(secret)).toBeDefined()
})

test('does not find an expired session', async () => {
  const { id: userId, username } = await shared.addUser()
  const { id, secret } = await shared.browserOf(username)
  await shared.query('update identity.sessions set expires_at = now() where id = $1', [id])
  expect(await find(secret)).toBeUndefined()
  expect(await listSessions(userId, shared.replica().sessions)).toEqual([])
})

test('does not find a session of a disabled user', async () => {
  const { id, username } = await shared.addUser()
  const { secret } = await shared.browserOf(username)
  await shared.query('update identity.users set disabled_at = now() where id = $1', [id])
  expect(await find(secret)).toBeUndefined()
  expect(await listSessions(id, shared.replica().sessions)).toEqual([])
})

test('begins no session when the user was disabled or the password changed since it was checked', async () => {
  const { sessions } = shared.replica()
  const begin = (userId: string, passwordHash: string) =>
    sessions.begin({
      id: randomUUID(),
      secretDigest: randomBytes(32),
      userId,
      passwordHash,
      userAgent: '',
      ipAddress: '',
      lifetime: 60,
      methods: [],
      previousDigests: [],
      connectionLogin: undefined,
      clientId: undefined,
    })
  const user = await shared.addUser()
  const passwordHash = user.passwordHash ?? ''
  expect(await begin(user.id, passwordHash)).toMatchObject({ expiresAt: expect.any(Date) })
  expect(await begin(user.id, `${passwordHash}x`)).toBeUndefined()
  await shared.query('update identity.users set disabled_at = now() where id = $1', [user.id])
  expect(await begin(user.id, passwordHash)).toBeUndefined()
})

test('concurrent logins all succeed, even while one of them renews the hash', async () => {
  const passwordHash = await hash(rightPassword, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
  const { id, username } = await shared.addUser({ passwordHash })
  const logins = Array.from({ length: 4 }, () => logIn(login(username), shared.replica().login))
  for (const { outcome } of await Promise.all(logins)) expect(outcome).toBe('right')
  expect(await listSessions(id, shared.replica().sessions)).toHaveLength(4)
})

test('cuts the User-Agent and makes it storable', async () => {
  const { username } = await shared.addUser()
  const keep = async (userAgent: string) => {
    const result = await logIn(login(username, { userAgent }), shared.replica().login)
    return result.outcome === 'right' ? (await find(result.value.secret))?.userAgent : undefined
  }
  expect(await keep('x'.repeat(5_000))).toBe('x'.repeat(400))
  expect(await keep('a\0b')).toBe('a\\u{0}b')
  expect(await keep(`${'x'.repeat(399)}😀`)).toBe(`${'x'.repeat(399)}\ufffd`)
})

test('lists only the user’s own sessions, newest first', async () => {
  const { id, username } = await shared.addUser()
  const other = await shared.addUser()
  await shared.browserOf(other.username)
  const ids: string[] = []
  for (let time = 0; time < 3; time += 1) ids.unshift((await shared.browserOf(username)).id)
  expect((await listSessions(id, shared.replica().sessions)).map((session) => session.id)).toEqual(ids)
  expect(await listSessions('no uuid', shared.replica().sessions)).toEqual([])
})

test('ends only the user’s own sessions, and ignores one that has already ended', async () => {
  const deps = shared.replica()
  const { id: userId, username } = await shared.addUser()
  const other = await shared.addUser()
  const { id: sessionId, secret } = await shared.browserOf(username)
  await endSession({ userId: other.id, sessionId }, deps)
  expect(await find(secret)).toBeDefined()
  await endSession({ userId, sessionId }, deps)
  expect(await find(secret)).toBeUndefined()
  await endSession({ userId, sessionId }, deps)
  await endSession({ userId, sessionId: 'no uuid' }, deps)
})

test('tells when a session was last used, to within five minutes', async () => {
  const { id: userId, username } = await shared.addUser()
  const { id, secret, session } = await shared.browserOf(username)
  expect(session.lastSeenAt).toEqual(session.authenticatedAt)
  const lastSeen = async () => (await listSessions(userId, shared.replica().sessions))[0]?.lastSeenAt
  const age = (seconds: number) =>
    shared.query(
      `update identity.sessions set authenticated_at = authenticated_at - $2 * interval '1 second',
        last_seen_at = last_seen_at - $2 * interval '1 second' where id = $1`,
      [id, seconds],
    )
  await age(290)
  const before = await lastSeen()
  await find(secret)
  expect(await lastSeen()).toEqual(before)
  await age(20)
  await Promise.all([find(secret), find(secret), find(secret)])
  const noted = (await lastSeen())?.getTime() ?? 0
  expect(noted).toBeGreaterThan((before?.getTime() ?? 0) + 280_000)
  await find(secret)
  expect((await lastSeen())?.getTime()).toBe(noted)
})
