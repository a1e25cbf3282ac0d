import { describe, expect, test } from 'vitest'
import { digestOf, memberDigestOf } from '../../src/basics/secret.ts'
import { endSession, listSessions } from '../../src/logins/session.ts'
import { setDisabled } from '../organizations/organizations.ts'
import { useReplicas } from '../store/replica.ts'
import { connectionsOver, existing } from './connections.ts'

const shared = useReplicas({ recorded: true })
const { addConnection, addMember, endLogins, find, findAny, link, logInByInstance, logInByMember } =
  connectionsOver(shared)
const inSeconds = (date: Date | undefined) => Math.round((date?.getTime() ?? 0) / 1000)

describe('a session with logins by organizations alone', () => {
  test('is found only by those who ask for any login, with the logins and without anything of its own', async () => {
    const { user, organizationId, connection } = await addMember()
    const authenticatedAt = new Date(Date.now() - 60_000)
    const login = { authenticatedAt, methods: ['pwd', 'otp'] }
    const { secret, session } = existing(await logInByMember(connection, user, login))
    expect(session).toMatchObject({
      ...{ user: { id: user.id }, organizationsOnly: true, connectionId: undefined, methods: [] },
      ...{ secondFactorUnproven: false, secondFactorDue: false },
      organizationLogins: [
        { connectionId: connection.connectionId, organizationId, methods: ['pwd', 'otp'], authenticatedAt },
      ],
    })
    expect(await find(secret)).toBeUndefined()
    expect(await findAny(secret)).toEqual({ ...session, seenAt: expect.any(Date) })
  })

  test('is found by no other text than its secret', async () => {
    const { user, connection } = await addMember()
    const { secret } = existing(await logInByMember(connection, user))
    for (const text of [`member:${secret}`, `\u00ffmember:${secret}`, `\ufffdmember:${secret}`, ''])
      expect([await find(text), await findAny(text)]).toEqual([undefined, undefined])
    const stored = await shared.query(
      'select secret_digest as digest from identity.sessions where user_id = $1',
      [user.id],
    )
    expect(stored).toEqual([{ digest: memberDigestOf(secret) }])
    expect(memberDigestOf(secret)).not.toEqual(digestOf(`member:${secret}`))
  })

  test('is in its user’s list, and they can end it', async () => {
    const { user, connection } = await addMember()
    const { secret, session } = existing(await logInByMember(connection, user))
    const { sessions } = shared.replica()
    expect(await listSessions(user.id, sessions)).toMatchObject([
      { id: session.id, organizationsOnly: true, organizationLogins: [connection] },
    ])
    const replica = shared.another()
    await endSession({ userId: user.id, sessionId: session.id }, replica)
    expect(replica.revoked).toMatchObject([{ kind: 'session', target: session.id }])
    expect(await findAny(secret)).toBeUndefined()
  })

  test('is not found without a login that counts, as when its twelve hours are over', async () => {
    const { user, connection } = await addMember()
    const { secret } = existing(await logInByMember(connection, user))
    await shared.query('update identity.session_logins set expires_at = now() where connection_id = $1', [
      connection.connectionId,
    ])
    expect(await findAny(secret)).toBeUndefined()
    expect(await listSessions(user.id, shared.replica().sessions)).toEqual([])
  })

  test('notes that it is used', async () => {
    const { user, connection } = await addMember()
    const { secret } = existing(await logInByMember(connection, user))
    await shared.query(
      `update identity.sessions set authenticated_at = now() - interval '1 hour', last_seen_at = null where user_id = $1`,
      [user.id],
    )
    await findAny(secret)
    const session = existing(await findAny(secret))
    expect(session.seenAt.getTime() - session.lastSeenAt.getTime()).toBeLessThan(60_000)
  })
})

describe('a login by a connection of an organization', () => {
  test.each<[string, (world: Awaited<ReturnType<typeof addMember>>) => Promise<unknown>]>([
    [
      'whose user is disabled',
      ({ user }) => shared.query('update identity.users set disabled_at = now() where id = $1', [user.id]),
    ],
    [
      'whose user is no member',
      ({ user }) => shared.query('delete from identity.organization_members where user_id = $1', [user.id]),
    ],
    [
      'that leads to nobody any more',
      ({ user }) => shared.query('delete from identity.connection_links where user_id = $1', [user.id]),
    ],
    [
      'of a connection that has another issuer now',
      ({ connection }) =>
        shared.query(
          `update identity.connections set issuer = 'https://new.example' where connection_id = $1`,
          [connection.connectionId],
        ),
    ],
    [
      'of a disabled organization',
      ({ organizationId }) => setDisabled(shared.replica(), organizationId, true),
    ],
    [
      'of a disabled connection',
      ({ connection }) =>
        shared.query('update identity.connections set disabled_at = now() where connection_id = $1', [
          connection.connectionId,
        ]),
    ],
  ])('%s begins no session', async (_, change) => {
    const world = await addMember()
    await change(world)
    expect(await logInByMember(world.connection, world.user)).toBeUndefined()
    expect(await shared.query('select from identity.sessions where user_id = $1', [world.user.id])).toEqual(
      [],
    )
  })

  test('counts in no other organization than that of the connection', async () => {
    const { user, connection } = await addMember()
    const other = await addMember()
    await shared.query(
      `insert into identity.organization_members (organization_id, user_id, role) values ($1, $2, 'member')`,
      [other.organizationId, user.id],
    )
    const { organizationId } = other
    expect(await logInByMember({ ...connection, organizationId }, user)).toBeUndefined()
    const instance = await addConnection()
    await link(instance, user)
    expect(await logInByMember({ ...instance, organizationId }, user)).toBeUndefined()
    expect(await logInByInstance(connection, user)).toBeUndefined()
  })

  test('joins the session of the same user, with a new secret, and makes its own login no younger', async () => {
    const { user, connection } = await addMember()
    const browser = await shared.browserOf(user.username)
    await shared.query(
      `update identity.sessions set authenticated_at = now() - interval '1 hour', expires_at = now() + interval '1 hour' where id = $1`,
      [browser.id],
    )
    const before = existing(await find(browser.secret))
    const again = existing(await logInByMember(connection, user, { previousSecret: browser.secret }))
    expect(again.session).toMatchObject({
      ...{ id: browser.id, methods: ['pwd'], organizationsOnly: false, createdAt: before.createdAt },
      ...{ authenticatedAt: before.authenticatedAt, expiresAt: before.expiresAt },
      organizationLogins: [connection],
    })
    expect(await find(browser.secret)).toBeUndefined()
    expect(await find(again.secret)).toMatchObject({ id: browser.id, organizationLogins: [] })
  })

  test('joins one with other logins by organizations, which stay', async () => {
    const { user, connection } = await addMember()
    const second = await addConnection(connection.organizationId)
    await link(second, user)
    const first = existing(await logInByMember(connection, user))
    const both = existing(await logInByMember(second, user, { previousSecret: first.secret }))
    expect(both.session).toMatchObject({ id: first.session.id, organizationsOnly: true })
    expect(both.session.organizationLogins.map(({ connectionId }) => connectionId)).toEqual([
      ...[connection.connectionId, second.connectionId],
    ])
    expect([await findAny(first.secret), await find(both.secret)]).toEqual([undefined, undefined])
  })

  test.each(['own', 'by an organization'])('ends a session %s of somebody else', async (kind) => {
    const { user, connection } = await addMember()
    const other = await addMember()
    const previous =
      kind === 'own'
        ? (await shared.browserOf(other.user.username)).secret
        : existing(await logInByMember(other.connection, other.user)).secret
    const { id } = existing(await findAny(previous))
    const { secret, session } = existing(await logInByMember(connection, user, { previousSecret: previous }))
    expect(session.id).not.toBe(id)
    expect(await findAny(previous)).toBeUndefined()
    expect(await findAny(secret)).toMatchObject({ user: { id: user.id }, organizationsOnly: true })
    expect(shared.replica().revoked).toContainEqual(expect.objectContaining({ kind: 'session', target: id }))
  })

  test('that meets another one in the same browser is joined once, and the other begins a session', async () => {
    const { user, connection } = await addMember()
    const { secret } = existing(await logInByMember(connection, user))
    const [one, other] = await Promise.all(
      [1, 2].map(() => logInByMember(connection, user, { previousSecret: secret })),
    )
    expect(existing(one).session.id).not.toBe(existing(other).session.id)
    for (const begun of [one, other])
      expect(await findAny(existing(begun).secret)).toMatchObject({ organizationLogins: [connection] })
  })
})

describe('a login with a password', () => {
  test('makes a session of its own of one by organizations, whose logins go on as long as they were to', async () => {
    const { user, connection } = await addMember()
    const { secret, session } = existing(await logInByMember(connection, user))
    await shared.query(
      `update identity.session_logins set expires_at = now() + interval '1 hour' where session_id = $1`,
      [session.id],
    )
    const own = await shared.browserOf(user.username, { previousSecret: secret })
    expect(own.session).toMatchObject({
      ...{ id: session.id, organizationsOnly: false, methods: ['pwd'] },
      organizationLogins: [connection],
    })
    expect(await find(own.secret)).toMatchObject({ id: session.id })
    const [stored] = await shared.query(
      'select expires_at as ends from identity.session_logins where session_id = $1',
      [session.id],
    )
    expect(inSeconds(stored?.ends as Date)).toBeLessThan(inSeconds(own.session.expiresAt) - 36_000)
  })

  test('ends the session by organizations of somebody else', async () => {
    const { user, connection } = await addMember()
    const { secret, session } = existing(await logInByMember(connection, user))
    const { username } = await shared.addUser()
    await shared.browserOf(username, { previousSecret: secret })
    expect(await findAny(secret)).toBeUndefined()
    expect(shared.replica().revoked).toContainEqual(
      expect.objectContaining({ kind: 'session', target: session.id }),
    )
  })

  test('no longer is one by the connection, which its provider can still end', async () => {
    const user = await shared.addUser()
    const connection = await addConnection()
    await link(connection, user)
    const begun = existing(await logInByInstance(connection, user, { upstreamSession: 'up' }))
    if (begun.outcome !== 'right') throw new Error(begun.outcome)
    const own = await shared.browserOf(user.username, { previousSecret: begun.value.secret })
    expect(own.session).toMatchObject({ id: begun.value.session.id, connectionId: undefined })
    const ended = await endLogins({
      connectionId: connection.connectionId,
      upstream: { upstreamSession: 'up' },
    })
    expect(ended).toEqual([`connection ${connection.connectionId}:${own.id}`])
    expect(await find(own.secret)).toBeDefined()
  })
})

describe('a login by a connection of the instance', () => {
  test('says which, and since when by the provider’s clock, which may be fast', async () => {
    const user = await shared.addUser()
    const connection = await addConnection()
    await link(connection, user)
    for (const [authenticatedAt, ago] of [
      [new Date(Date.now() - 7_200_000), 7_200],
      [new Date(Date.now() + 7_200_000), 0],
      [undefined, 0],
    ] as const) {
      const begun = existing(await logInByInstance(connection, user, { authenticatedAt }))
      if (begun.outcome !== 'right') throw new Error(begun.outcome)
      const { secret, session } = begun.value
      expect(inSeconds(session.seenAt) - inSeconds(session.authenticatedAt)).toBeCloseTo(ago, -1)
      expect(inSeconds(session.lastSeenAt)).toBe(inSeconds(session.seenAt))
      expect(await find(secret)).toMatchObject({
        ...{ connectionId: connection.connectionId, organizationsOnly: false, organizationLogins: [] },
        ...{ authenticatedAt: session.authenticatedAt, lastSeenAt: session.seenAt },
      })
    }
  })

  test.each([
    ['a disabled connection', 'update identity.connections set disabled_at = now() where connection_id = $1'],
    ['a link that is gone', 'delete from identity.connection_links where connection_id = $1'],
  ])('with %s begins no session', async (_, sql) => {
    const user = await shared.addUser()
    const connection = await addConnection()
    await link(connection, user)
    await shared.query(sql, [connection.connectionId])
    expect(await logInByInstance(connection, user)).toBeUndefined()
    expect(await shared.query('select from identity.sessions where user_id = $1', [user.id])).toEqual([])
  })
})
