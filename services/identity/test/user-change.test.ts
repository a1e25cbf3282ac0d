import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { resetPassword } from '../src/password-reset.ts'
import { askConsent } from '../src/released-consent.ts'
import { getSession } from '../src/session.ts'
import { createUser, deleteUser, endUserSessions, type UserChange, updateUser } from '../src/user-change.ts'
import { getUser } from '../src/user-list.ts'
import { actor, type Replica, useReplicas, written } from './replica.ts'

const shared = useReplicas()
beforeEach(() => shared.query('update identity.users set is_admin = false'))

const update = (userId: string, change: UserChange, replica: Replica = shared.replica(), by = actor) =>
  updateUser({ userId, ...change }, by, replica.admin.changes)
const remove = (userId: string, replica: Replica = shared.replica(), by = actor) =>
  deleteUser(userId, by, replica.admin.changes)
const lastOne = {
  code: 'access_denied',
  description: 'This is the last active administrator, who cannot be disabled, demoted or deleted.',
}

describe('shutting a user out', () => {
  test('ends his sessions, keeps him out, tells the token service, and is written down', async () => {
    const replica = shared.another()
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    const stranger = await shared.browserOf((await shared.addUser()).username)
    expect(await update(id, { disabled: true }, replica)).toMatchObject({ id, disabledAt: expect.any(Date) })
    expect(replica.revoked).toEqual([{ kind: 'user', target: id, issuedBefore: expect.any(Date) }])
    expect(await getSession(secret, replica.sessions)).toBeUndefined()
    expect(await getSession(stranger.secret, replica.sessions)).toBeDefined()
    await expect(shared.browserOf(username)).rejects.toThrow('wrong')
    expect(await shared.auditOf(id)).toEqual([
      written('user.update', { disabled: false }, { disabled: true }),
    ])
  })

  test('letting him in again brings no session back, and revokes nothing', async () => {
    const replica = shared.another()
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    await update(id, { disabled: true })
    expect(await update(id, { disabled: false }, replica)).toMatchObject({ disabledAt: undefined })
    expect(replica.revoked).toEqual([])
    expect(await getSession(secret, replica.sessions)).toBeUndefined()
    await shared.browserOf(username)
  })

  test('what changes nothing is not written down, and keeps since when', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    await update(id, {}, replica)
    await update(id, { disabled: false, admin: false }, replica)
    const { disabledAt } = await update(id, { disabled: true })
    expect(await update(id, { disabled: true }, replica)).toMatchObject({ disabledAt })
    expect(replica.revoked).toEqual([])
    expect(await shared.auditOf(id)).toHaveLength(1)
  })

  test('succeeds while the token service is away, which is told later', async () => {
    const replica = shared.another()
    replica.tokenAway = true
    const { id } = await shared.addUser()
    await update(id, { disabled: true }, replica)
    expect(replica.revoked).toEqual([])
    replica.tokenAway = false
    await replica.deliverAll()
    expect(replica.revoked).toMatchObject([{ kind: 'user', target: id }])
  })

  test.each([randomUUID(), 'no uuid', ''])('an unknown user is not found: %j', async (id) => {
    const unknown = { code: 'not_found' }
    const { changes, list } = shared.replica().admin
    await expect(update(id, { disabled: true })).rejects.toMatchObject(unknown)
    await expect(update(id, { disabled: false })).rejects.toMatchObject(unknown)
    await expect(update(id, {})).rejects.toMatchObject(unknown)
    await expect(remove(id)).rejects.toMatchObject(unknown)
    await expect(resetPassword({ userId: id, newPassword: '' }, actor, changes)).rejects.toMatchObject(
      unknown,
    )
    await expect(endUserSessions({ userId: id, sessionId: '' }, actor, changes)).rejects.toMatchObject(
      unknown,
    )
    await expect(getUser(id, list)).rejects.toMatchObject(unknown)
    expect(await shared.auditOf(id)).toEqual([])
  })

  test('a login at the same moment leaves no session', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, username } = await shared.addUser()
      const logins = Array.from({ length: 4 }, () => shared.browserOf(username))
      const delay = new Promise((resolve) => setTimeout(resolve, 15 * round))
      await Promise.allSettled([...logins, delay.then(() => update(id, { disabled: true }))])
      expect(await shared.query('select from identity.sessions where user_id = $1', [id])).toEqual([])
    }
  })
})

describe('administrators', () => {
  test('one is made and unmade, and both are written down', async () => {
    await shared.addUser({ admin: true })
    const { id } = await shared.addUser()
    expect(await update(id, { admin: true })).toMatchObject({ admin: true })
    expect(await update(id, { admin: false, disabled: true })).toMatchObject({ admin: false })
    expect(await shared.auditOf(id)).toEqual([
      written('user.update', { admin: false }, { admin: true }),
      written('user.update', { admin: true, disabled: false }, { admin: false, disabled: true }),
    ])
  })

  test('the last active one stays, and another one does not', async () => {
    const one = await shared.addUser({ admin: true })
    const other = await shared.addUser({ admin: true })
    await update(one.id, { disabled: true })
    await expect(update(other.id, { disabled: true })).rejects.toMatchObject(lastOne)
    await expect(update(other.id, { admin: false })).rejects.toMatchObject(lastOne)
    await expect(remove(other.id)).rejects.toMatchObject(lastOne)
    expect(await shared.auditOf(other.id)).toEqual([])
    // He who is disabled already is not the last one, nor is somebody who is no administrator.
    await update(one.id, { disabled: true })
    await update((await shared.addUser()).id, { disabled: true })
    await remove((await shared.addUser()).id)
    await update(one.id, { disabled: false })
    await remove(other.id)
  })

  test('nobody disables, demotes or deletes himself, but he may do everything else', async () => {
    await shared.addUser({ admin: true })
    const { id, username: name } = await shared.addUser({ admin: true })
    const himself = { ...actor, id, name }
    const refused = {
      code: 'access_denied',
      description: 'You cannot disable, demote or delete yourself: another administrator can.',
    }
    const replica = shared.replica()
    await expect(update(id, { disabled: true }, replica, himself)).rejects.toMatchObject(refused)
    await expect(update(id, { admin: false }, replica, himself)).rejects.toMatchObject(refused)
    await expect(remove(id, replica, himself)).rejects.toMatchObject(refused)
    await update(id, { disabled: false, admin: true }, replica, himself)
    await resetPassword({ userId: id, newPassword: '' }, himself, replica.admin.changes)
    // A client of the same id is somebody else.
    await update(id, { admin: false }, replica, { ...himself, kind: 'client' })
  })

  test.each<[string, (id: string, replica: Replica) => Promise<unknown>]>([
    ['shut each other out', (id, replica) => update(id, { disabled: true }, replica)],
    ['demote each other', (id, replica) => update(id, { admin: false }, replica)],
    ['delete each other', remove],
  ])('of those who %s at once on two replicas one stays', async (_, act) => {
    const replicas = [shared.replica(), shared.another()]
    for (let round = 0; round < 10; round += 1) {
      await shared.query('update identity.users set is_admin = false')
      const administrators = await Promise.all([1, 2, 3].map(() => shared.addUser({ admin: true })))
      const results = await Promise.allSettled(
        administrators.map(({ id }, index) => act(id, replicas[index % 2] as Replica)),
      )
      const refused = results.filter(({ status }) => status === 'rejected')
      expect(refused).toMatchObject([{ reason: lastOne }])
      const left = await shared.query('select from identity.users where is_admin and disabled_at is null')
      expect(left).toHaveLength(1)
    }
  })
})

describe('deleting a user', () => {
  test('takes all that is his along, revokes his tokens for good, and is written down', async () => {
    const replica = shared.another()
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    await shared.query(
      `insert into identity.consents (user_id, client_id, scope) values ($1, 'client_a', 'read')`,
      [id],
    )
    await remove(id, replica)
    expect(replica.revoked).toEqual([{ kind: 'user', target: id, issuedBefore: undefined }])
    expect(await getSession(secret, replica.sessions)).toBeUndefined()
    expect(await shared.query('select from identity.consents where user_id = $1', [id])).toEqual([])
    expect(await shared.auditOf(id)).toEqual([
      written('user.delete', { username, admin: false, disabled: false }, null),
    ])
    await expect(remove(id, replica)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('while he is changed and logs in: no session is left, and the change was before or not at all', async () => {
    const other = shared.another()
    // So that the user is not the last administrator where the change comes first.
    await shared.addUser({ admin: true })
    for (let round = 0; round < 10; round += 1) {
      const { id, username } = await shared.addUser()
      const [changed, deleted] = await Promise.allSettled([
        update(id, { admin: true }, other),
        remove(id),
        update(id, { disabled: true }, other),
        shared.browserOf(username),
        resetPassword({ userId: id, newPassword: 'another password' }, actor, other.admin.changes),
      ])
      expect(deleted, JSON.stringify(deleted)).toMatchObject({ status: 'fulfilled' })
      if (changed.status === 'rejected') expect(changed.reason).toMatchObject({ code: 'not_found' })
      expect(await shared.query('select from identity.sessions where user_id = $1', [id])).toEqual([])
      const actions = (await shared.auditOf(id)).map(({ action }) => action)
      expect(actions.at(-1)).toBe('user.delete')
      expect(actions.filter((action) => action === 'user.update').length >= 1).toBe(
        changed.status === 'fulfilled' || actions.length > 1,
      )
    }
  })
})

test('a user is deleted while they answer a consent page, and the two do not wait for each other', async () => {
  const { releasedConsents: consents, database } = shared.another()
  const { id, username } = await shared.addUser()
  const { id: sessionId } = await shared.browserOf(username)
  const question = { sessionId, clientId: 'client_a', scope: 'read', authorizationQuery: '' }
  await askConsent(question, { consents, randomBytes })
  // What the answer's one statement does, with a pause in the middle.
  const answering = await database.pool.connect()
  await answering.query('begin')
  await answering.query('delete from identity.consent_questions where session_id = $1', [sessionId])
  const removed = remove(id)
  const isWaiting = async () =>
    (
      await shared.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0
  while (!(await isWaiting())) await sleep(20)
  await answering.query(`insert into identity.consents values ($1, 'client_a', 'read')`, [id])
  await answering.query('commit')
  answering.release()
  await removed
  expect(await shared.query('select from identity.consents where user_id = $1', [id])).toEqual([])
})

describe('ending sessions', () => {
  const end = (userId: string, sessionId: string) =>
    endUserSessions({ userId, sessionId }, actor, shared.replica().admin.changes)

  test('one ends, then all, and his tokens stay', async () => {
    const replica = shared.replica()
    const { id, username } = await shared.addUser()
    const browsers = [
      await shared.browserOf(username),
      await shared.browserOf(username),
      await shared.browserOf(username),
    ]
    const [first] = browsers
    const revoked = replica.revoked.length
    await end(id, first?.id ?? '')
    expect(await getSession(first?.secret ?? '', replica.sessions)).toBeUndefined()
    expect(await replica.sessions.list(id)).toHaveLength(2)
    await end(id, '')
    expect(await replica.sessions.list(id)).toEqual([])
    expect(replica.revoked).toHaveLength(revoked)
    expect(await shared.auditOf(id)).toEqual([
      written('user.sessions.end', { session_id: first?.id }, null),
      written('user.sessions.end', { sessions: 2 }, null),
    ])
  })

  test('another user’s session does not end, and what is over is as good as ended', async () => {
    const { id } = await shared.addUser()
    const stranger = await shared.browserOf((await shared.addUser()).username)
    for (const sessionId of [stranger.id, randomUUID(), 'no uuid', '']) await end(id, sessionId)
    expect(await getSession(stranger.secret, shared.replica().sessions)).toBeDefined()
    expect(await shared.auditOf(id)).toEqual([])
  })
})

test('who is added is written down, and a name that is taken is not', async () => {
  const { changes } = shared.replica().admin
  const user = { username: `new-${randomUUID()}`, password: 'a password', admin: false }
  const { id } = await createUser(user, actor, changes)
  await expect(createUser(user, actor, changes)).rejects.toThrow()
  expect(await shared.auditOf(id)).toEqual([
    written('user.create', null, { username: user.username, admin: false }),
  ])
  const entries = await shared.query(
    `select from identity.audit_log where action = 'user.create' and after->>'username' = $1`,
    [user.username],
  )
  expect(entries).toHaveLength(1)
})
