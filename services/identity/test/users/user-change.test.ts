import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { resetPassword } from '../../src/accounts/password-reset.ts'
import { getSession } from '../../src/logins/session.ts'
import {
  createUser,
  deleteUser,
  endUserSessions,
  type UserChange,
  updateUser,
} from '../../src/users/user-change.ts'
import { getUser } from '../../src/users/user-list.ts'
import { actor, type Replica, useReplicas, written } from '../store/replica.ts'

const shared = useReplicas()
beforeEach(() => shared.query('update identity.users set is_admin = false'))

const update = (userId: string, change: UserChange, replica: Replica = shared.replica(), by = actor) =>
  updateUser({ userId, ...change }, by, replica.admin.changes)
const remove = (userId: string, replica: Replica = shared.replica(), by = actor) =>
  deleteUser(userId, by, replica.admin.changes)
const lastOne = {
  code: 'access_denied',
  description: 'This is the last active owner, who cannot be disabled, demoted or deleted.',
}

test('a change of attributes that is based on an outdated revision changes nothing', async () => {
  const { id } = await shared.addUser()
  const { revision } = await getUser(id, shared.replica().admin.list)
  const changed = await update(id, { revision, attributes: { name: 'Ann' } })
  expect(changed.revision).not.toBe(revision)
  const late = update(id, { revision, attributes: { name: 'Anna' } })
  await expect(late).rejects.toMatchObject({ code: 'outdated_revision' })
  // A role and a ban are no attributes.
  const { revision: same } = await update(id, { disabled: true })
  expect(same).toBe(changed.revision)
  const again = await update(id, { revision: same, attributes: { name: 'Anna' } })
  expect(again.attributes).toMatchObject({ name: 'Anna' })
})

describe('disabling a user', () => {
  test('ends their sessions, refuses their login, revokes their tokens and writes an audit entry', async () => {
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

  test('can be undone: enabling them restores no session and revokes nothing', async () => {
    const replica = shared.another()
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    await update(id, { disabled: true })
    expect(await update(id, { disabled: false }, replica)).toMatchObject({ disabledAt: undefined })
    expect(replica.revoked).toEqual([])
    expect(await getSession(secret, replica.sessions)).toBeUndefined()
    await shared.browserOf(username)
  })

  test('writes no audit entry and keeps the date when nothing changes', async () => {
    const replica = shared.another()
    const { id } = await shared.addUser()
    await update(id, {}, replica)
    await update(id, { disabled: false, adminRole: null }, replica)
    const { disabledAt } = await update(id, { disabled: true })
    expect(await update(id, { disabled: true }, replica)).toMatchObject({ disabledAt })
    expect(replica.revoked).toEqual([])
    expect(await shared.auditOf(id)).toHaveLength(1)
  })

  test('succeeds while the token service is away, and revokes the tokens later', async () => {
    const replica = shared.another()
    replica.tokenAway = true
    const { id } = await shared.addUser()
    await update(id, { disabled: true }, replica)
    expect(replica.revoked).toEqual([])
    replica.tokenAway = false
    await replica.deliverAll()
    expect(replica.revoked).toMatchObject([{ kind: 'user', target: id }])
  })

  test.each([randomUUID(), 'no uuid', ''])('refuses an unknown user: %j', async (id) => {
    const unknown = { code: 'not_found' }
    const { changes, list } = shared.replica().admin
    await expect(update(id, { disabled: true })).rejects.toMatchObject(unknown)
    await expect(update(id, { disabled: false })).rejects.toMatchObject(unknown)
    await expect(update(id, {})).rejects.toMatchObject(unknown)
    await expect(remove(id)).rejects.toMatchObject(unknown)
    await expect(resetPassword({ userId: id }, actor, changes)).rejects.toMatchObject(unknown)
    await expect(endUserSessions({ userId: id }, actor, changes)).rejects.toMatchObject(unknown)
    await expect(getUser(id, list)).rejects.toMatchObject(unknown)
    expect(await shared.auditOf(id)).toEqual([])
  })

  test('leaves no session of concurrent logins', async () => {
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
  test('are promoted and demoted, each with an audit entry', async () => {
    await shared.addUser({ adminRole: 'owner' })
    const { id } = await shared.addUser()
    const replica = shared.another()
    expect(await update(id, { adminRole: 'owner' }, replica)).toMatchObject({ adminRole: 'owner' })
    // Their tokens were given to somebody who was no administrator.
    expect(replica.revoked).toEqual([{ kind: 'user', target: id, issuedBefore: expect.any(Date) }])
    expect(await update(id, { adminRole: null, disabled: true })).toMatchObject({ adminRole: null })
    expect(await shared.auditOf(id)).toEqual([
      written('user.update', { admin_role: null }, { admin_role: 'owner' }),
      written('user.update', { admin_role: 'owner', disabled: false }, { admin_role: null, disabled: true }),
    ])
  })

  test('get a role for a part, another one, and none, each with an audit entry', async () => {
    await shared.addUser({ adminRole: 'owner' })
    const { id, username } = await shared.addUser()
    const replica = shared.another()
    const given = await update(id, { adminRole: 'support' }, replica)
    expect(given).toMatchObject({ adminRole: 'support' })
    expect(replica.revoked).toEqual([{ kind: 'user', target: id, issuedBefore: expect.any(Date) }])
    expect(await shared.query('select is_admin from identity.users where id = $1', [id])).toEqual([
      { is_admin: false },
    ])
    const { secret } = await shared.browserOf(username)
    expect(await getSession(secret, replica.sessions)).toMatchObject({ user: { adminRole: 'support' } })
    await update(id, { adminRole: 'owner' })
    expect(await getSession(secret, replica.sessions)).toMatchObject({ user: { adminRole: 'owner' } })
    await update(id, { adminRole: null })
    expect(await getSession(secret, replica.sessions)).toMatchObject({ user: { adminRole: null } })
    expect(await shared.auditOf(id)).toEqual([
      written('user.update', { admin_role: null }, { admin_role: 'support' }),
      written('user.update', { admin_role: 'support' }, { admin_role: 'owner' }),
      written('user.update', { admin_role: 'owner' }, { admin_role: null }),
    ])
  })

  test('with a role for a part are not the last owner', async () => {
    const owner = await shared.addUser({ adminRole: 'owner' })
    const viewer = await shared.addUser({ adminRole: 'viewer' })
    await expect(update(owner.id, { adminRole: 'viewer' })).rejects.toMatchObject(lastOne)
    await remove(viewer.id)
  })

  test('cannot be disabled, demoted or deleted when they are the last active one', async () => {
    const one = await shared.addUser({ adminRole: 'owner' })
    const other = await shared.addUser({ adminRole: 'owner' })
    await update(one.id, { disabled: true })
    await expect(update(other.id, { disabled: true })).rejects.toMatchObject(lastOne)
    await expect(update(other.id, { adminRole: null })).rejects.toMatchObject(lastOne)
    await expect(remove(other.id)).rejects.toMatchObject(lastOne)
    expect(await shared.auditOf(other.id)).toEqual([])
    // A disabled administrator is not the last active one, nor is an ordinary user.
    await update(one.id, { disabled: true })
    await update((await shared.addUser()).id, { disabled: true })
    await remove((await shared.addUser()).id)
    await update(one.id, { disabled: false })
    await remove(other.id)
  })

  test('cannot disable, demote or delete themselves, but can change themselves otherwise', async () => {
    await shared.addUser({ adminRole: 'owner' })
    const { id, username: name } = await shared.addUser({ adminRole: 'owner' })
    const themselves = { ...actor, id, name }
    const refused = {
      code: 'access_denied',
      description: 'You cannot disable, demote or delete yourself: another owner can.',
    }
    const replica = shared.replica()
    await expect(update(id, { disabled: true }, replica, themselves)).rejects.toMatchObject(refused)
    await expect(update(id, { adminRole: null }, replica, themselves)).rejects.toMatchObject(refused)
    await expect(remove(id, replica, themselves)).rejects.toMatchObject(refused)
    await update(id, { disabled: false, adminRole: 'owner' }, replica, themselves)
    await resetPassword({ userId: id }, themselves, replica.admin.changes)
    // A client with the same id is a different actor.
    await update(id, { adminRole: null }, replica, { ...themselves, kind: 'client' })
  })

  test.each<[string, (id: string, replica: Replica) => Promise<unknown>]>([
    ['disable each other', (id, replica) => update(id, { disabled: true }, replica)],
    ['demote each other', (id, replica) => update(id, { adminRole: null }, replica)],
    ['delete each other', remove],
  ])('keep one active when they %s at once on two replicas', async (_, act) => {
    const replicas = [shared.replica(), shared.another()]
    for (let round = 0; round < 10; round += 1) {
      await shared.query('update identity.users set is_admin = false')
      const administrators = await Promise.all([1, 2, 3].map(() => shared.addUser({ adminRole: 'owner' })))
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
  test('deletes their sessions and consents, revokes their tokens for good and writes an audit entry', async () => {
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
      written('user.delete', { username, admin_role: null, disabled: false }, null),
    ])
    await expect(remove(id, replica)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('leaves no session while they log in, and no change happens after it', async () => {
    const other = shared.another()
    // Otherwise the user would be the last owner when the promotion comes first.
    await shared.addUser({ adminRole: 'owner' })
    for (let round = 0; round < 10; round += 1) {
      const { id, username } = await shared.addUser()
      const [changed, deleted] = await Promise.allSettled([
        update(id, { adminRole: 'owner' }, other),
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

test('writes an audit entry for a created user, and none for a refused name', async () => {
  const { changes } = shared.replica().admin
  const user = { username: `new-${randomUUID()}`, password: 'a good password', adminRole: null }
  const { id } = await createUser(user, actor, changes)
  await expect(createUser(user, actor, changes)).rejects.toThrow()
  expect(await shared.auditOf(id)).toEqual([
    written('user.create', null, { username: user.username, admin_role: null }),
  ])
  const entries = await shared.query(
    `select from identity.audit_log where action = 'user.create' and after->>'username' = $1`,
    [user.username],
  )
  expect(entries).toHaveLength(1)
})
