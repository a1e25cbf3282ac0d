import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { changeOwnAttributes, getUserClaims } from '../../src/users/user-attributes.ts'
import { createUser, deleteUser, type UserChange, updateUser } from '../../src/users/user-change.ts'
import { getUser } from '../../src/users/user-list.ts'
import { actor, useReplicas, written } from '../store/replica.ts'

const shared = useReplicas()
const update = (userId: string, change: UserChange) =>
  updateUser({ userId, ...change }, actor, shared.replica().admin.changes)
const attributesNow = async (userId: string) =>
  (await getUser(userId, shared.replica().admin.list)).attributes
const claims = (...userIds: string[]) => getUserClaims(userIds, shared.replica().attributes)
const changeOwn = (sessionSecret: string, attributes: Record<string, unknown>) =>
  changeOwnAttributes({ sessionSecret, attributes }, shared.replica().attributes)
const email = 'ann@example.com'

describe('an administrator', () => {
  test('creates a user with attributes, changes and removes them, each with an audit entry', async () => {
    const user = { username: `ann-${randomUUID()}`, password: 'a good password', adminRole: null }
    const { changes } = shared.replica().admin
    const { id } = await createUser({ ...user, attributes: { email, picture: null } }, actor, changes)
    expect(await attributesNow(id)).toEqual({ email, email_verified: false })
    const changed = await update(id, { disabled: true, attributes: { email_verified: true, name: 'Ann' } })
    expect(changed.attributes).toEqual({ name: 'Ann', email, email_verified: true })
    await update(id, { attributes: { name: 'Ann', email } })
    await update(id, { attributes: { email: null } })
    expect(await attributesNow(id)).toEqual({ name: 'Ann' })
    const { username, adminRole: admin_role } = user
    const unverified = { email_verified: false }
    expect(await shared.auditOf(id)).toEqual([
      written('user.create', null, { username, admin_role, email, ...unverified }),
      written(
        'user.update',
        { disabled: false, name: null, ...unverified },
        { disabled: true, name: 'Ann', email_verified: true },
      ),
      written('user.update', { email, email_verified: true }, { email: null, email_verified: null }),
    ])
    await deleteUser(id, actor, changes)
    const [deletion] = (await shared.auditOf(id)).slice(-1)
    expect(deletion).toEqual(written('user.delete', { username, admin_role, disabled: true }, null))
  })

  test('changes nothing with an invalid attribute, not even what is valid beside it', async () => {
    const { id } = await shared.addUser()
    const wrong = { disabled: true, attributes: { name: 'Ann', email: 'ann' } }
    await expect(update(id, wrong)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await getUser(id, shared.replica().admin.list)).toMatchObject({
      disabledAt: undefined,
      attributes: {},
    })
    expect(await shared.auditOf(id)).toEqual([])
    const user = {
      username: `x-${id}`,
      password: 'a good password',
      adminRole: null,
      attributes: { locale: '!' },
    }
    await expect(createUser(user, actor, shared.replica().admin.changes)).rejects.toMatchObject({
      description: expect.stringMatching('^locale must be'),
    })
  })

  test('may give several users the same address', async () => {
    for (const { id } of [await shared.addUser(), await shared.addUser()])
      expect((await update(id, { attributes: { email } })).attributes).toMatchObject({ email })
  })
})

describe('users', () => {
  test('change their own attributes, but not their address, and not those of others', async () => {
    const { id, username } = await shared.addUser()
    const other = await shared.addUser()
    await update(id, { attributes: { email, email_verified: true } })
    const { secret } = await shared.browserOf(username)
    await changeOwn(secret, { name: 'Ann', zoneinfo: 'Europe/Berlin', email: 'root@example.com' })
    expect(await attributesNow(id)).toEqual({
      ...{ name: 'Ann', email, email_verified: true, zoneinfo: 'Europe/Berlin' },
    })
    await changeOwn(secret, { zoneinfo: null })
    expect(await attributesNow(id)).not.toHaveProperty('zoneinfo')
    expect(await attributesNow(other.id)).toEqual({})
    await expect(changeOwn(secret, { name: '\u202e' })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('must be logged in and active', async () => {
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    await shared.query('update identity.users set disabled_at = now() where id = $1', [id])
    for (const session of [secret, 'x', ''])
      await expect(changeOwn(session, { name: 'Ann' })).rejects.toMatchObject({ code: 'login_required' })
    expect(await attributesNow(id)).toEqual({})
  })

  test('lose no change when they and an administrator change different attributes at the same time', async () => {
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    const names = ['name', 'given_name', 'family_name']
    await Promise.all([
      ...names.map((name) => changeOwn(secret, { [name]: 'Ann' })),
      update(id, { attributes: { email, locale: 'en' } }),
    ])
    expect(Object.keys(await attributesNow(id)).sort()).toEqual(
      [...names, 'email', 'email_verified', 'locale'].sort(),
    )
  })
})

describe('the claims for apps', () => {
  test('are those of active users, and their time is that of the last change of an attribute', async () => {
    const [one, two] = [await shared.addUser(), await shared.addUser()]
    await shared.query(`update identity.users set attributes_updated_at = '2026-01-01' where id = $1`, [
      one.id,
    ])
    const { secret } = await shared.browserOf(one.username)
    const before = { id: one.id, username: one.username, attributes: {}, updatedAt: new Date('2026-01-01') }
    expect(await claims(one.id)).toEqual([before])
    await update(one.id, { adminRole: 'owner', attributes: { name: null } })
    await changeOwn(secret, {})
    expect(await claims(one.id)).toEqual([before])
    await changeOwn(secret, { name: 'Ann' })
    const [after] = await claims(one.id)
    expect(after).toMatchObject({ attributes: { name: 'Ann' } })
    expect(Date.now() - Number(after?.updatedAt)).toBeLessThan(60_000)
    await changeOwn(secret, { name: null })
    expect(await claims(one.id)).toMatchObject([{ attributes: {} }])

    expect((await claims(one.id, two.id, randomUUID(), 'x', '')).map(({ id }) => id).sort()).toEqual(
      [one.id, two.id].sort(),
    )
    await update(two.id, { disabled: true })
    expect(await claims(two.id)).toEqual([])
    expect(await claims('x')).toEqual([])
  })
})
