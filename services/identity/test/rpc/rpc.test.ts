import { randomUUID } from 'node:crypto'
import { actorMessage } from '@gatehouse/kit/actor'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { type RpcServer, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { IdentityServiceService as identity, LoginOutcome } from '@gatehouse/proto/identity/v1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { identityMetrics } from '../../src/metrics.ts'
import { identityRpcs } from '../../src/rpc/rpc.ts'
import { actor as administrator, attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const { log, lines } = recordedLog()
const registry = new Registry()
let server: RpcServer
let client: RpcClient<typeof identity>

beforeAll(async () => {
  const { login, ...rest } = shared.replica()
  const { authenticationFailed } = identityMetrics(registry)
  const options = { host: '127.0.0.1', port: 0, actor: 'identity', log, registry }
  const deps = { ...rest, login: { ...login, authenticationFailed } }
  server = await startRpcServer([identityRpcs(deps)], options, () => undefined)
  client = createRpcClient(identity, `127.0.0.1:${server.port}`, 5_000)
})
afterAll(async () => {
  client.close()
  await server.close(0)
})

const logIn = async (username: string) => {
  const attempt = {
    ...attemptOf(username, rightPassword),
    userAgent: 'A browser',
    knownUsers: [],
  }
  const { outcome } = await client.logIn(attempt)
  if (outcome?.$case !== 'session') throw new Error(`the login was ${outcome?.$case}`)
  return outcome.value
}

test('authenticateUser returns the public user, nothing for a wrong password, and says when it is throttled', async () => {
  const { id: userId, username } = await shared.addUser({ adminRole: 'owner' })
  const attempt = attemptOf(username, rightPassword)
  expect(await client.authenticateUser(attempt)).toEqual({
    outcome: { $case: 'user', value: { userId, username, admin: true, adminRole: 'owner' } },
  })
  for (let time = 0; time < 10; time += 1)
    expect(await client.authenticateUser({ ...attempt, password: 'wrong' })).toEqual({ outcome: undefined })
  const throttled = { $case: 'throttled', value: { retryAfterSeconds: expect.any(Number) } }
  expect(await client.authenticateUser(attempt)).toEqual({ outcome: throttled })
  const login = { ...attempt, userAgent: '', knownUsers: [] }
  expect(await client.logIn(login)).toEqual({ outcome: throttled })
  expect(await registry.metrics()).toContain(
    'oauth2_server_oauth_failed_authentications_total{kind="user"} 10',
  )
})

test('logs in, returns the session and ends it', async () => {
  const { id: userId, username } = await shared.addUser()
  const user = { userId, username, admin: false }
  const begun = await logIn(username)
  expect(begun).toMatchObject({ user, expiresAt: expect.any(Date) })
  expect(begun.session?.seenAt).toEqual(begun.session?.createdAt)
  const { session } = await client.getSession({ sessionSecret: begun.sessionSecret })
  expect(session).toEqual({
    sessionId: expect.any(String),
    attributes: { names: [] },
    user,
    createdAt: expect.any(Date),
    expiresAt: begun.expiresAt,
    userAgent: 'A browser',
    ipAddress: expect.stringMatching(/^10\./),
    seenAt: expect.any(Date),
    authenticatedAt: begun.session?.createdAt,
    lastSeenAt: begun.session?.createdAt,
    methods: ['pwd'],
    secondFactorUnproven: false,
    secondFactorDue: false,
  })
  expect({ ...begun.session, seenAt: undefined }).toEqual({ ...session, seenAt: undefined })
  expect(await client.listSessions({ userId })).toEqual({
    sessions: [{ ...session, seenAt: expect.any(Date) }],
  })
  expect(await client.endSession({ userId, sessionId: session?.sessionId ?? '' })).toEqual({})
  expect(await client.getSession({ sessionSecret: begun.sessionSecret })).toEqual({
    session: undefined,
  })
  expect(await client.getSession({ sessionSecret: '' })).toEqual({ session: undefined })
})

test('sessions that are wanted at the same moment are those of their secrets', async () => {
  const people = await Promise.all(
    Array.from({ length: 5 }, async () => logIn((await shared.addUser()).username)),
  )
  const { sessionSecret, session } = people[0] ?? expect.unreachable('nobody')
  const consent = { sessionSecret, sessionId: session?.sessionId ?? '', clientId: 'client_a', scope: 'read' }
  await client.grantConsent(consent)
  const items = [
    ...people.toReversed().map((one) => ({ sessionSecret: one.sessionSecret })),
    { sessionSecret: 'unknown' },
    { sessionSecret, clientId: 'client_a' },
    { sessionSecret, clientId: 'client_b' },
  ]
  const { results } = await client.getSessions({ items })
  const sessions = results.map(({ outcome }) =>
    outcome?.$case === 'response' ? outcome.value.session : expect.unreachable(outcome?.$case),
  )
  expect(sessions.map((one) => one?.user?.username)).toEqual([
    ...people.toReversed().map(({ user }) => user?.username),
    ...[undefined, people[0]?.user?.username, people[0]?.user?.username],
  ])
  expect(sessions.map((one) => one?.consentedScope).slice(-4)).toEqual([undefined, undefined, 'read', ''])
})

test('grants a consent, returns it and withdraws it', async () => {
  const { id: userId, username } = await shared.addUser()
  const { sessionSecret } = await logIn(username)
  const sessionId = (await client.getSession({ sessionSecret })).session?.sessionId ?? ''
  const consent = { sessionSecret, sessionId, clientId: 'client_a', scope: 'read' }
  expect(await client.grantConsent({ ...consent, sessionSecret: '' })).toEqual({ session: undefined })
  expect(await client.grantConsent(consent)).toMatchObject({ session: { sessionId, user: { userId } } })
  const asked = { sessionSecret, clientId: 'client_a' }
  expect((await client.getSession(asked)).session).toMatchObject({ consentedScope: 'read' })
  const pair = { userId, clientId: 'client_a' }
  expect(await client.listConsents({ userId })).toEqual({
    consents: [{ clientId: 'client_a', scope: 'read', grantedAt: expect.any(Date) }],
  })
  expect(await client.withdrawConsent(pair)).toEqual({})
  expect((await client.getSession(asked)).session).toMatchObject({ consentedScope: '' })
  expect(await client.listConsents({ userId })).toEqual({ consents: [] })
})

test('changes a user’s own attributes, and gives the claims of active users', async () => {
  const { id: userId, username } = await shared.addUser()
  const { sessionSecret } = await logIn(username)
  const sent = { name: 'Zoë', picture: null, email: 'zoe@example.com' }
  expect(await client.changeOwnAttributes({ sessionSecret, attributes: sent })).toEqual({})
  expect(await client.getUserClaims({ userIds: [userId, randomUUID()] })).toEqual({
    users: [{ userId, username, attributes: { name: 'Zoë' }, updatedAt: expect.any(Date) }],
  })
  const vouchedBy = `org_${randomUUID()}`
  await shared.query('update identity.users set address_vouched_by = $2 where id = $1', [userId, vouchedBy])
  expect(await client.getUserClaims({ userIds: [userId] })).toMatchObject({ users: [{ userId, vouchedBy }] })
  const wrong = client.changeOwnAttributes({ sessionSecret, attributes: { locale: 7 } })
  await expect(wrong).rejects.toMatchObject({
    code: 'invalid_request',
    description: expect.stringMatching('^locale must be'),
  })
  const nobody = client.changeOwnAttributes({ sessionSecret: 'x', attributes: sent })
  await expect(nobody).rejects.toMatchObject({ code: 'login_required' })
})

test('returns every outcome of a password change', async () => {
  const { username } = await shared.addUser()
  const { sessionSecret } = await logIn(username)
  const { ipAddress } = attemptOf('', '')
  const change = (currentPassword: string, newPassword: string) =>
    client.changePassword({ sessionSecret, currentPassword, newPassword, ipAddress, keepAccess: false })
  expect(await change(rightPassword, 'short')).toEqual({
    outcome: { $case: 'unacceptable', value: 'The new password must have at least 12 characters.' },
    unacceptableCode: 'too_short',
  })
  expect(await change('wrong', 'new password')).toMatchObject({
    outcome: { $case: 'wrongPassword', value: {} },
  })
  expect(await change(rightPassword, 'new password')).toMatchObject({
    outcome: { $case: 'changed', value: {} },
  })
  for (let time = 0; time < 10; time += 1) await change('wrong', 'new password')
  expect(await change('new password', 'new password')).toMatchObject({ outcome: { $case: 'throttled' } })
})

describe('administration', () => {
  const actor = actorMessage(administrator)
  const unchanged = { disabled: undefined, admin: undefined, attributes: undefined }

  test('creates, finds, disables, enables, promotes and deletes a user', async () => {
    const attributes = { given_name: 'Zoë', email: 'zoe@example.com', email_verified: true }
    const zoe = { username: 'Zoë', password: 'a good password', admin: false, attributes, actor }
    const { user } = await client.createUser(zoe)
    expect(user).toEqual({ userId: expect.any(String), username: 'Zoë', admin: false })
    const userId = user?.userId ?? ''
    const record = {
      userId,
      username: 'Zoë',
      admin: false,
      createdAt: expect.any(Date),
      disabledAt: undefined,
      columns: {},
      hasPassword: true,
      socialAccounts: [],
      attributes,
    }
    const details = { ...record, revision: expect.any(BigInt) }
    expect(await client.getUser({ userId })).toEqual({ user: details })
    const { users, nextCursor, total } = await client.listUsers({
      ...{ filters: {}, search: 'ZO', limit: 10 },
    })
    expect([users, nextCursor]).toEqual([[record], undefined])
    expect(total).toBeGreaterThan(0n)
    const disabled = await client.updateUser({ ...unchanged, userId, disabled: true, actor })
    expect(disabled).toEqual({ user: { ...details, disabledAt: expect.any(Date) } })
    const attempt = attemptOf('zoë', 'a good password')
    expect(await client.authenticateUser(attempt)).toEqual({ outcome: undefined })
    const enabled = await client.updateUser({ ...unchanged, userId, disabled: false, admin: true, actor })
    expect(enabled).toEqual({ user: { ...details, admin: true, adminRole: 'owner' } })
    expect(await client.authenticateUser(attempt)).toMatchObject({ outcome: { value: { userId } } })
    // Another administrator, so that this one is not the last.
    await shared.addUser({ adminRole: 'owner' })
    expect(await client.deleteUser({ userId, actor })).toEqual({})
    await expect(client.getUser({ userId })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('ends sessions and resets a password', async () => {
    const { id: userId, username } = await shared.addUser()
    const { sessionSecret } = await logIn(username)
    expect(await client.endUserSessions({ userId, actor })).toEqual({})
    expect(await client.getSession({ sessionSecret })).toEqual({ session: undefined })
    expect(await client.resetPassword({ userId, newPassword: 'my new password', actor })).toEqual({
      generatedPassword: undefined,
    })
    const { generatedPassword } = await client.resetPassword({ userId, actor })
    const attempt = attemptOf(username, generatedPassword ?? 'none')
    expect(await client.authenticateUser(attempt)).toMatchObject({ outcome: { value: { userId } } })
  })

  test('refuses every change without an actor', async () => {
    const { id: userId } = await shared.addUser()
    const refused = { code: 'invalid_request', description: 'The actor is missing.' }
    const nobody = { actor: undefined }
    const user = { username: 'somebody', password: 'a good password', admin: true, attributes: undefined }
    const calls = [
      client.createUser({ ...user, ...nobody }),
      client.updateUser({ ...unchanged, userId, disabled: true, ...nobody }),
      client.resetPassword({ userId, ...nobody }),
      client.endUserSessions({ userId, ...nobody }),
      client.deleteUser({ userId, ...nobody }),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject(refused)
    expect(await client.getUser({ userId })).toMatchObject({ user: { disabledAt: undefined } })
  })
})

test('lists and counts logins', async () => {
  const { id: userId, username } = await shared.addUser()
  const attempt = { ...attemptOf(username, rightPassword), clientId: 'client_a' }
  await client.authenticateUser({ ...attempt, password: 'wrong' })
  const since = new Date()
  await client.authenticateUser(attempt)
  const all = {
    limit: 1,
    userId,
    outcome: LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED,
    since: undefined,
    until: undefined,
  }
  const first = await client.listLogins(all)
  const login = {
    loginId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
    time: expect.any(Date),
    userId,
    username,
    clientId: 'client_a',
    ipAddress: attempt.ipAddress,
    userAgent: '',
    method: 'password_grant',
  }
  expect(first.logins).toEqual([{ ...login, failure: undefined }])
  expect(await client.listLogins({ ...all, cursor: first.nextCursor })).toEqual({
    logins: [{ ...login, failure: 'wrong_password' }],
    nextCursor: undefined,
    cursors: [expect.any(String)],
  })
  const outcomes = [LoginOutcome.LOGIN_OUTCOME_SUCCEEDED, LoginOutcome.LOGIN_OUTCOME_FAILED]
  for (const outcome of outcomes) {
    const { logins } = await client.listLogins({ ...all, limit: 10, outcome })
    expect(logins.map(({ failure }) => failure === undefined)).toEqual([outcome === outcomes[0]])
  }
  const unknown = client.listLogins({ ...all, outcome: 3 as LoginOutcome })
  await expect(unknown).rejects.toMatchObject({ code: 'invalid_request' })
  const { minutes } = await client.countLogins({ since, stepSeconds: 60 })
  expect(minutes[0]?.time?.getTime()).toBeLessThanOrEqual(since.getTime())
  expect(minutes.reduce((sum, { succeeded }) => sum + succeeded, 0n)).toBeGreaterThan(0n)
  const counted = await client.countLogins({ since: undefined, stepSeconds: 0 })
  expect(counted.minutes.length).toBeGreaterThanOrEqual(minutes.length)
  await expect(client.countLogins({ since, stepSeconds: 61 })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

test('writes no password and no secret into the log', async () => {
  const { username } = await shared.addUser()
  const { sessionSecret } = await logIn(username)
  await client.authenticateUser(attemptOf(username, 'hunter2hunter2'))
  const text = JSON.stringify(lines)
  for (const secret of [rightPassword, 'hunter2', sessionSecret]) expect(text).not.toContain(secret)
})
