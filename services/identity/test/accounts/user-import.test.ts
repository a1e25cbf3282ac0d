import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { describe, expect, test } from 'vitest'
import { importUsers } from '../../src/accounts/user-import.ts'
import type { ImportedUser } from '../../src/accounts/user-import-check.ts'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { deleteUser } from '../../src/users/user-change.ts'
import { getUser } from '../../src/users/user-list.ts'
import { actor, attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()

const blank = {
  ...{ disabled: false, admin: false },
  ...{ createdAt: undefined, attributes: {}, socialAccounts: [] },
}
const userOf = (changes: Partial<ImportedUser> = {}): ImportedUser => ({
  ...blank,
  username: `old-${randomUUID()}`,
  ...changes,
})
const load = (
  users: ImportedUser[],
  { dryRun = false, allowAdmins = false, replica = shared.replica() } = {},
) => importUsers({ users, dryRun, allowAdmins }, actor, replica.admin.imports)
const outcomesOf = async (...args: Parameters<typeof load>) =>
  (await load(...args)).map(({ outcome }) => outcome)
const authenticate = async (username: string, password = rightPassword) =>
  (await authenticateUser(attemptOf(username, password), shared.replica().login)).outcome
const find = (userId = '') => getUser(userId, shared.replica().admin.list)
const audit = () =>
  shared.query(
    `select action, target, before, after, actor_id from identity.audit_log where action = 'users.import' order by entry_id`,
  )

test('keeps the id, the time, the attributes, the state, and the accounts at social providers', async () => {
  const user = userOf({
    userId: randomUUID(),
    createdAt: new Date('2015-03-04T05:06:07.890Z'),
    disabled: true,
    attributes: { given_name: 'Zoë', email: 'zoe@example.com', email_verified: true },
    socialAccounts: [{ provider: 'github', subject: '583231', displayName: 'zoe' }],
  })
  expect(await load([user])).toEqual([{ outcome: 'created', userId: user.userId, reason: undefined }])
  const record = await find(user.userId)
  expect(record).toMatchObject({
    ...{ id: user.userId, username: user.username, adminRole: null, hasPassword: false },
    ...{ createdAt: user.createdAt, disabledAt: expect.any(Date), attributes: user.attributes },
    socialAccounts: [{ provider: 'github', displayName: 'zoe' }],
  })
})

test('a user logs in with the password that they had', async () => {
  const users = [
    userOf({ passwordHash: await bcryptHash(rightPassword, 4) }),
    userOf({ passwordHash: await hash(rightPassword, { memoryCost: 4_096, timeCost: 1 }) }),
    userOf({ password: rightPassword }),
    userOf(),
  ]
  expect(await outcomesOf(users)).toEqual(Array(4).fill('created'))
  const outcomes = await Promise.all(users.map(({ username }) => authenticate(username)))
  expect(outcomes).toEqual(['right', 'right', 'right', 'wrong'])
  const names = users.map(({ username }) => username)
  const rows = await shared.query(
    `select count(*)::int as count from identity.users
     where username = any($1) and password_hash like '$argon2id$v=19$m=19456,t=2,p=1$%'`,
    [names],
  )
  expect(rows).toEqual([{ count: 3 }])
})

test('changes nothing the second time, not even for a user who changed since', async () => {
  const users = Array.from({ length: 500 }, () => userOf({ userId: randomUUID() }))
  expect(new Set(await outcomesOf(users))).toEqual(new Set(['created']))
  const all = () =>
    shared.query(`select * from identity.users where id = any($1) order by id`, [
      users.map(({ userId }) => userId),
    ])
  await shared.query(`update identity.users set is_admin = true where id = $1`, [users[7]?.userId])
  const [before, entries] = [await all(), await audit()]
  const again = await load(users.map((user) => ({ ...user, username: user.username.toUpperCase() })))
  expect(again).toEqual(users.map(({ userId }) => ({ outcome: 'exists', userId, reason: undefined })))
  expect(await all()).toEqual(before)
  expect(await audit()).toEqual(entries)
})

test('an invalid user fails alone', async () => {
  const other = await shared.addUser()
  const gone = await shared.addUser()
  await deleteUser(gone.id, actor, shared.replica().admin.changes)
  const twice = userOf({ userId: randomUUID() })
  const results = await load([
    userOf(),
    userOf({ username: 'two words' }),
    userOf({ userId: 'not-a-uuid' }),
    userOf({ admin: true }),
    userOf({ attributes: { email: 'nobody' } }),
    userOf({ passwordHash: 'plain text' }),
    userOf({ passwordHash: `$2b$20$${'a'.repeat(53)}` }),
    userOf({ passwordHash: `$2b$10$${'a'.repeat(53)}`, password: rightPassword }),
    userOf({ password: 'too short' }),
    userOf({ createdAt: new Date(Date.now() + 60_000) }),
    userOf({ createdAt: new Date(Number.NaN) }),
    userOf({ socialAccounts: [{ provider: 'facebook', subject: '1', displayName: '' }] }),
    userOf({ socialAccounts: [{ provider: 'github', subject: '1\0', displayName: '' }] }),
    userOf({ userId: other.id }),
    userOf({ userId: gone.id.toUpperCase() }),
    userOf({ username: other.username.toUpperCase(), userId: randomUUID() }),
    twice,
    { ...twice, username: twice.username.toUpperCase() },
    userOf({ userId: twice.userId?.toUpperCase() }),
    userOf(),
  ])
  expect(results.map(({ outcome, reason }) => [outcome, reason].join(' ').trim())).toEqual([
    'created',
    'invalid username must not contain white space or control characters.',
    'invalid user_id must be a UUID.',
    'invalid admin is true, but this import may create no administrators.',
    expect.stringMatching('^invalid email must be'),
    'invalid password_hash is of an unknown kind; known are argon2, bcrypt, PBKDF2 and scrypt.',
    'invalid password_hash has a cost that is too high: at most 14.',
    'invalid password and password_hash exclude each other.',
    'invalid password must have at least 12 characters.',
    'invalid created_at must be a time from 1970 until now.',
    'invalid created_at must be a time from 1970 until now.',
    'invalid social_accounts has an unknown provider; known are google, microsoft, github.',
    'invalid social_accounts must have a subject of 1 to 255 characters, without NUL.',
    'invalid Another user has this user_id.',
    'invalid A user with this user_id was deleted here. Leave user_id out for a new one.',
    'exists The user of this name has another user_id.',
    'created',
    'exists The name is in this import twice.',
    'invalid The user_id is in this import twice.',
    'created',
  ])
})

test('creates administrators only if that is allowed, and names them in the audit log', async () => {
  const users = [userOf({ admin: true }), userOf()]
  expect(await outcomesOf(users)).toEqual(['invalid', 'created'])
  expect(await outcomesOf(users, { allowAdmins: true })).toEqual(['created', 'exists'])
  expect((await audit()).slice(-2)).toEqual([
    {
      ...{ action: 'users.import', target: '', before: null, actor_id: actor.id },
      after: { users: 1 },
    },
    expect.objectContaining({ after: { users: 1, administrators: [users[0]?.username] } }),
  ])
  expect(JSON.stringify(await audit())).not.toContain('$')
})

test('a dry run says the same, hashes no password and stores nothing', async () => {
  const replica = shared.another()
  replica.admin.imports.hashing = { hash: () => Promise.reject(new Error('nothing is to be hashed')) }
  const existing = await shared.addUser()
  const users = [
    userOf({ password: rightPassword }),
    userOf({ username: existing.username }),
    userOf({ password: 'short' }),
  ]
  const entries = await audit()
  const tried = await load(users, { dryRun: true, replica })
  expect(tried.map(({ outcome }) => outcome)).toEqual(['created', 'exists', 'invalid'])
  expect(await audit()).toEqual(entries)
  expect(await authenticate(users[0]?.username ?? '')).toBe('wrong')
  expect((await load(users)).map(({ outcome }) => outcome)).toEqual(tried.map(({ outcome }) => outcome))
})

test('two imports of the same users at once create each user once', async () => {
  const users = Array.from({ length: 200 }, () => userOf())
  const results = await Promise.all([
    load(users),
    load([...users].reverse(), { replica: shared.another() }),
    load(users, { replica: shared.another() }),
  ])
  const created = results.flat().filter(({ outcome }) => outcome === 'created')
  expect(created).toHaveLength(200)
  expect(results.flat().filter(({ outcome }) => outcome === 'exists')).toHaveLength(400)
})

test('leaves out a social account that another user has, and says so', async () => {
  const account = { provider: 'google', subject: randomUUID(), displayName: 'Zoë' }
  const results = await load([
    userOf({ socialAccounts: [account] }),
    userOf({ socialAccounts: [account, { ...account, provider: 'microsoft' }] }),
  ])
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['created', undefined],
    ['created', 'An account at a social provider was left out: another user has it.'],
  ])
  const linked = await Promise.all(results.map(({ userId }) => find(userId)))
  expect(linked.map(({ socialAccounts }) => socialAccounts.length)).toEqual([1, 1])
})

describe('a request', () => {
  test.each([
    ['users', Array.from({ length: 501 }, () => userOf()), 'users must have at most 500 entries.'],
    [
      'passwords',
      Array.from({ length: 51 }, () => userOf({ password: rightPassword })),
      'users must have at most 50 entries with a password.',
    ],
  ])('with too many %s is refused as a whole', async (_, users, description) => {
    await expect(load(users)).rejects.toMatchObject({ code: 'invalid_request', description })
  })

  test('whose passwords cannot be hashed now creates nobody', async () => {
    const replica = shared.another()
    replica.admin.imports.hashing = { hash: () => Promise.reject(new Error('too busy')) }
    const users = [userOf(), userOf({ password: rightPassword })]
    await expect(load(users, { replica })).rejects.toThrow('too busy')
    expect(await outcomesOf(users)).toEqual(['created', 'created'])
  })
})
