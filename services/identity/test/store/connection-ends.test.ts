import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { completeLogin } from '../../src/logins/login-completion.ts'
import { deleteOrganization } from '../../src/organizations/organization-change.ts'
import { deleteUser, endUserSessions, updateUser } from '../../src/users/user-change.ts'
import { connectionsOver, existing } from '../logins/connections.ts'
import { endedIn, removeMembers, setDisabled, setMembers } from '../organizations/organizations.ts'
import { pendingOf, useFactors } from './factors/factors.ts'
import { actor } from './replica.ts'

const shared = useFactors({ recorded: true })
const { addConnection, addMember, endLogins, find, findAny, link, logInByInstance, logInByMember } =
  connectionsOver(shared)

/** A user of the instance with a session by a connection of it. */
async function byInstance(login: object = {}) {
  const user = await shared.addUser()
  const connection = await addConnection()
  await link(connection, user)
  const begun = existing(await logInByInstance(connection, user, login))
  if (begun.outcome !== 'right') throw new Error(begun.outcome)
  return { user, connection, ...begun.value, id: begun.value.session.id }
}

/** A member with a session that has no login but that by their organization. */
async function byMember(login: object = {}) {
  const world = await addMember()
  const { secret, session } = existing(await logInByMember(world.connection, world.user, login))
  return { ...world, secret, id: session.id, connectionId: world.connection.connectionId }
}

const disable = (connectionId: string) =>
  shared.query('update identity.connections set disabled_at = now() where connection_id = $1', [connectionId])

describe('the end of a connection', () => {
  test('ends sessions that have no other login, and those whose login by a way of the instance it was', async () => {
    const { connectionId, secret, id } = await byMember()
    expect((await endLogins({ connectionId })).sort()).toEqual([
      `connection ${connectionId}`,
      `session ${id}`,
    ])
    expect(await findAny(secret)).toBeUndefined()
    const own = await byInstance()
    expect((await endLogins(own.connection)).sort()).toEqual([
      `connection ${own.connection.connectionId}`,
      `session ${own.id}`,
    ])
    expect(await findAny(own.secret)).toBeUndefined()
  })

  test('takes its login from a session with another one, which stays', async () => {
    const { user, connection } = await addMember()
    const second = await addConnection(connection.organizationId)
    await link(second, user)
    const own = await shared.browserOf(user.username)
    const { secret } = existing(await logInByMember(connection, user, { previousSecret: own.secret }))
    const first = existing(await logInByMember(connection, user))
    const both = existing(await logInByMember(second, user, { previousSecret: first.secret }))
    expect(await endLogins(connection)).toEqual([`connection ${connection.connectionId}`])
    expect(await find(secret)).toMatchObject({ id: own.id })
    expect(await findAny(secret)).toMatchObject({ organizationLogins: [] })
    expect(await findAny(both.secret)).toMatchObject({ organizationLogins: [second] })
  })

  test('is told also where no login has come by it', async () => {
    const { connectionId } = await addConnection()
    expect(await endLogins({ connectionId })).toEqual([`connection ${connectionId}`])
  })

  test('leaves no session to a login that meets it', async () => {
    const { user, connection } = await addMember()
    const { connectionId } = connection
    const { prisma } = shared.another().database
    let begun: Promise<unknown> | undefined
    await prisma.$transaction(async (transaction) => {
      await transaction.connection.update({ where: { connectionId }, data: { disabledAt: new Date() } })
      begun = logInByMember(connection, user)
      await sleep(200)
    })
    expect(await begun).toBeUndefined()
    expect(await shared.query('select from identity.sessions where user_id = $1', [user.id])).toEqual([])
  })
})

test('the end of a link ends the logins of its user alone', async () => {
  const { user, connection, organizationId, secret, id, connectionId } = await byMember()
  const other = await shared.addUser()
  await setMembers(shared.replica(), organizationId, { [other.id]: 'member' })
  await link(connection, other)
  const stays = existing(await logInByMember(connection, other))
  expect((await endLogins({ connectionId, userId: user.id })).sort()).toEqual([
    `connection ${connectionId}:${user.id}`,
    `session ${id}`,
  ])
  expect(await findAny(secret)).toBeUndefined()
  expect(await findAny(stays.secret)).toBeDefined()
})

test('the end of one of two links ends what was granted without a session, too, and the logins by it alone', async () => {
  const { user, connection, secret, connectionId } = await byMember()
  const upstream = { issuer: 'https://login.example', subject: 'another' }
  expect(await endLogins({ connectionId, userId: user.id, upstream })).toEqual([
    `connection ${connectionId}:${user.id}`,
  ])
  expect(await findAny(secret)).toMatchObject({ organizationLogins: [connection] })
})

describe('a logout at the provider', () => {
  test('ends the sessions that came by its session', async () => {
    const { user, connection, secret, id, connectionId } = await byMember({ upstreamSession: 'one' })
    const stays = existing(await logInByMember(connection, user, { upstreamSession: 'two' }))
    const upstream = { upstreamSession: 'one' }
    expect((await endLogins({ connectionId, upstream })).sort()).toEqual([
      `connection ${connectionId}:${id}`,
      `session ${id}`,
    ])
    expect(await findAny(secret)).toBeUndefined()
    expect(await findAny(stays.secret)).toBeDefined()
    expect(await endLogins({ connectionId, upstream })).toEqual([])
  })

  test('ends those of a person, at that issuer', async () => {
    const { user, secret, id, connectionId } = await byMember()
    const subject = user.id
    const elsewhere = { issuer: 'https://other.example', subject }
    expect(await endLogins({ connectionId, upstream: elsewhere })).toEqual([])
    expect(await findAny(secret)).toBeDefined()
    const upstream = { issuer: 'https://login.example', subject }
    expect((await endLogins({ connectionId, upstream })).sort()).toEqual([
      `connection ${connectionId}:${id}`,
      `session ${id}`,
    ])
  })
})

describe('a login by a connection of the instance that waits for a second factor', () => {
  const waiting = async () => {
    const user = await shared.userWithApp()
    const connection = await addConnection()
    await link(connection, user)
    const authenticatedAt = new Date(Date.now() - 3_600_000)
    const begun = existing(
      await logInByInstance(connection, { ...user, adminRole: null }, { authenticatedAt }),
    )
    if (begun.outcome !== 'second factor') throw new Error(begun.outcome)
    const complete = () =>
      completeLogin(
        pendingOf(begun.pending.secret),
        {
          state: {
            user: { id: user.id, username: user.username, adminRole: null },
            ...{ methods: [], loginMethod: connection.connectionId, clientId: undefined },
          },
          proven: ['otp'],
        },
        { userAgent: '', ipAddress: '', previousSecret: undefined },
        shared.replica().factors,
      )
    return { user, connection, complete, authenticatedAt }
  }

  test('becomes a session by that connection, with the time of the provider', async () => {
    const { connection, complete, authenticatedAt } = await waiting()
    const { secret } = existing(await complete())
    expect(await find(secret)).toMatchObject({
      ...{ connectionId: connection.connectionId, methods: ['otp', 'mfa'], authenticatedAt },
    })
    expect(await endLogins(connection)).toHaveLength(2)
    expect(await find(secret)).toBeUndefined()
  })

  test('becomes none when the connection is disabled, nor when it is enabled again', async () => {
    const one = await waiting()
    await disable(one.connection.connectionId)
    expect(await one.complete()).toBeUndefined()
    const other = await waiting()
    await endLogins({ ...other.connection, userId: other.user.id })
    expect(await other.complete()).toBeUndefined()
  })
})

describe('what ends the sessions of a user ends those by organizations', () => {
  test.each<[string, (userId: string) => Promise<unknown>]>([
    [
      'as an administrator does',
      (userId) => endUserSessions({ userId }, actor, shared.replica().admin.changes),
    ],
    [
      'when they are disabled',
      (userId) => updateUser({ userId, disabled: true }, actor, shared.replica().admin.changes),
    ],
    ['when they are deleted', (userId) => deleteUser(userId, actor, shared.replica().admin.changes)],
  ])('%s', async (_, end) => {
    const { user, secret, id } = await byMember()
    await end(user.id)
    expect(await findAny(secret)).toBeUndefined()
    expect(shared.replica().revoked).toContainEqual(expect.objectContaining({ kind: 'session', target: id }))
  })
})

describe('the end in an organization', () => {
  test('of a membership takes the logins of that member', async () => {
    const { user, connection, organizationId, secret, id } = await byMember()
    const other = await shared.addUser()
    await setMembers(shared.replica(), organizationId, { [other.id]: 'member' })
    await link(connection, other)
    const stays = existing(await logInByMember(connection, other))
    const replica = shared.another()
    await removeMembers(replica, organizationId, [user.id])
    expect(endedIn(replica)).toContain(`session ${id}`)
    expect(await findAny(secret)).toBeUndefined()
    expect(await findAny(stays.secret)).toBeDefined()
  })

  test('by disabling takes all its logins, and enabling gives none back', async () => {
    const { user, connection, organizationId, secret, id } = await byMember()
    const own = await shared.browserOf(user.username)
    const joined = existing(await logInByMember(connection, user, { previousSecret: own.secret }))
    const replica = shared.another()
    await setDisabled(replica, organizationId, true)
    expect(endedIn(replica)).toEqual([`organization ${organizationId}`, `session ${id}`])
    await setDisabled(replica, organizationId, false)
    expect(await findAny(secret)).toBeUndefined()
    expect(await findAny(joined.secret)).toMatchObject({ id: own.id, organizationLogins: [] })
  })

  test('by deleting it takes them too', async () => {
    const { organizationId, secret, id } = await byMember()
    const replica = shared.another()
    await deleteOrganization(organizationId, actor, replica.organizations)
    expect(endedIn(replica)).toEqual([`organization ${organizationId}`, `session ${id}`])
    expect(await findAny(secret)).toBeUndefined()
  })
})
