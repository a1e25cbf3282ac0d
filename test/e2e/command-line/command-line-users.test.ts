import { logIn } from '@gatehouse/test/browser/browser-login'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'

describe('gatehouse users, logins and audit', { timeout: 60_000 }, () => {
  let system: TestSystem
  beforeAll(async () => {
    system = await sharedTestSystem()
  })

  const { gatehouse, json } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: sharedAdmin.password,
  }))

  test('creates users, finds them ignoring case, promotes, disables and deletes them', async () => {
    const made = await json('users', 'create', 'Carol')
    expect(made).toMatchObject({ username: 'Carol', admin: false })
    expect(made.generated_password.length).toBeGreaterThanOrEqual(20)
    expect(await json('users', 'promote', 'carol')).toMatchObject({ admin: true })
    const asCarol = { GATEHOUSE_USERNAME: 'Carol', GATEHOUSE_PASSWORD: made.generated_password }
    expect((await gatehouse(['status'], asCarol)).code).toBe(0)
    expect(await json('users', 'disable', 'CAROL')).toMatchObject({ disabled: true })
    expect((await gatehouse(['status'], asCarol)).code).toBe(3)
    await json('users', 'enable', 'Carol')
    await json('users', 'demote', 'Carol')
    expect((await gatehouse(['status'], asCarol)).code).toBe(3)
    const reset = await json('users', 'reset-password', 'Carol')
    expect(reset.generated_password).not.toBe(made.generated_password)
    await json('users', 'delete', 'Carol', '--yes')
    expect((await gatehouse(['users', 'disable', 'Carol'])).code).toBe(4)
  })

  test('gives a role that allows a part of the administration, and takes it', async () => {
    const made = await json('users', 'create', 'Dora', '--role', 'viewer')
    expect(made).toMatchObject({ admin: false, admin_role: 'viewer' })
    const asDora = { GATEHOUSE_USERNAME: 'Dora', GATEHOUSE_PASSWORD: made.generated_password }
    expect((await gatehouse(['users', 'list'], asDora)).code).toBe(0)
    const refused = await gatehouse(['users', 'create', 'Dave'], asDora)
    expect([refused.code, refused.err]).toEqual([3, expect.stringMatching(/Roles that do: .*support/i)])

    expect(await json('users', 'set-role', 'dora', 'support')).toMatchObject({ admin_role: 'support' })
    expect((await gatehouse(['users', 'create', 'Dave'], asDora)).code).toBe(0)
    for (const forbidden of [
      ['users', 'reset-password', sharedAdmin.username],
      ['users', 'set-role', 'Dave', 'viewer'],
      ['users', 'promote', 'Dora'],
    ])
      expect([forbidden, (await gatehouse(forbidden, asDora)).code]).toEqual([forbidden, 3])
    expect((await json('users', 'list', '--role', 'support')).items).toMatchObject([{ username: 'Dora' }])

    const none = await json('users', 'set-role', 'Dora', 'none')
    expect([none.admin, none.admin_role]).toEqual([false, undefined])
    expect((await gatehouse(['users', 'list'], asDora)).code).toBe(3)
    const wrong = await gatehouse(['users', 'set-role', 'Dora', 'archbishop'])
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('must be one of viewer, support')])
    for (const name of ['Dora', 'Dave']) await json('users', 'delete', name, '--yes')
  })

  test('creates a user with attributes, changes and removes them, and finds the user by e-mail address', async () => {
    const email = 'frank@example.com'
    await json(
      'users',
      'create',
      'Frank',
      '--email',
      email,
      '--email-verified',
      'true',
      '--given-name',
      'Frank',
    )
    const user = await json('users', 'show', 'Frank')
    expect(user).toMatchObject({ email, email_verified: true, given_name: 'Frank' })
    const update = ['users', 'update', 'Frank', '--email', 'f@example.com', '--given-name', '']
    expect((await gatehouse(update)).out).toMatch(
      /^e-mail address +f@example.com\ne-mail address verified +no$/m,
    )
    expect(await json('users', 'show', 'Frank')).not.toHaveProperty('given_name')
    expect((await json('users', 'list', '--search', 'f@exam')).items).toMatchObject([{ username: 'Frank' }])
    const wrong = await gatehouse(['users', 'update', 'Frank', '--zoneinfo', 'Mars'])
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('zoneinfo must be a time zone')])
    expect((await gatehouse(['users', 'update', 'Frank', '--email-verified', 'maybe'])).code).toBe(2)
  })

  test('shows a user and their sessions, and ends one of them or all', async () => {
    const { user_id: id, generated_password: secret } = await json('users', 'create', 'Dora')
    await Promise.all([1, 2, 3].map(() => logIn(system, 'Dora', secret)))
    expect(await json('users', 'show', 'dora')).toMatchObject({ user_id: id, has_password: true })
    expect((await gatehouse(['users', 'show', 'Dora'])).out).toMatch(/^name +Dora$/m)

    const { items } = await json('users', 'sessions', 'Dora')
    expect(items).toHaveLength(3)
    await json('users', 'end-sessions', 'Dora', items[1].session_id)
    expect((await json('users', 'sessions', id)).items).toEqual([items[0], items[2]])
    const again = await gatehouse(['users', 'end-sessions', 'Dora', items[1].session_id])
    expect([again.code, again.out, again.err]).toEqual([4, '', 'Dora has no such session.\n'])
    await json('users', 'end-sessions', 'Dora')
    expect((await gatehouse(['users', 'sessions', 'Dora'])).out).toBe('No sessions.\n')
    expect((await gatehouse(['users', 'unlock', 'Dora'])).out).toBe('Dora can try passwords again.\n')
  })

  test('lists who tried to log in, and what administrators did', async () => {
    const { user_id: id } = await json('users', 'create', 'Eve')
    await expect(logIn(system, 'Eve', 'a guess')).rejects.toThrow()
    expect(await json('users', 'list', '--sort', '-created_at', '--limit', '1')).toMatchObject({
      items: [{ user_id: id }],
    })
    const logins = await json('logins', 'list', '--user', id, '--outcome', 'failed')
    expect(logins.items).toMatchObject([{ user: { username: 'Eve' }, failure: 'wrong_password' }])
    expect((await gatehouse(['logins', 'list', '--user', id])).out).toMatch(/ Eve +wrong_password +password /)

    expect(await json('users', 'login-problems', 'Eve')).toMatchObject({
      problems: [],
      last_failures: [{ failure: 'wrong_password' }],
    })
    await json('users', 'disable', 'Eve')
    expect((await gatehouse(['users', 'login-problems', 'eve'])).out).toMatch(
      /^The user is disabled\. Enable the user\.\n\n[\s\S]* wrong_password +127\.0\.0\.1 /,
    )
    await json('users', 'enable', 'Eve')
    await json('users', 'promote', 'Eve')
    const activity = await json('activity', '--user', 'eve', '--limit', '3')
    expect(activity.items).toMatchObject([
      { kind: 'action', after: { admin_role: 'owner' } },
      { kind: 'action', after: { disabled: false } },
      { kind: 'action', after: { disabled: true } },
    ])
    const rest = await json('activity', '--user', id, '--cursor', activity.next_cursor)
    expect(rest.items).toMatchObject([
      { kind: 'login', failure: 'wrong_password' },
      { action: 'user.create' },
    ])
    expect((await gatehouse(['activity', '--user', 'eve', '--outcome', 'failed'])).out).toMatch(
      /^TIME +KIND +WHO +WHAT .*\n\S+ +login +Eve +wrong_password +- +127\.0\.0\.1\n$/,
    )
    const { items } = await json('audit', 'list', '--target', id)
    expect(items).toMatchObject([
      { action: 'user.update', after: { admin_role: 'owner' } },
      { action: 'user.update', after: { disabled: false } },
      { action: 'user.update', after: { disabled: true } },
      { action: 'user.create', actor: { name: 'admin' } },
    ])
    expect((await json('users', 'list', '--admin', 'true', '--search', 'eve')).items).toHaveLength(1)
    expect((await json('users', 'list', '--admin', 'false', '--search', 'eve')).items).toEqual([])
    expect((await json('audit', 'list', '--target', id, '--action', 'user.create')).items).toHaveLength(1)
    expect((await json('audit', 'list', '--until', '2026-01-01T00:00:00Z')).items).toEqual([])
    expect((await gatehouse(['audit', 'list', '--actor', id])).out).toBe('No actions found.\n')
  })
})
