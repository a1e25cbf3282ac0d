import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createMinuteLimit } from '../../src/basics/minute-limit.ts'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { type LoginDeps, logIn } from '../../src/logins/session.ts'
import { createLoginHistoryStore } from '../../src/store/logins/login-attempts.ts'
import { deleteUser } from '../../src/users/user-change.ts'
import { actor, attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()

/** A login in a browser. */
const login = (username: string, password: string, changes: object = {}) => ({
  ...attemptOf(username, password),
  userAgent: 'A browser',
  previousSecret: undefined,
  ...changes,
})
const tryLogin = (attempt: ReturnType<typeof login>, deps: LoginDeps = shared.replica().login) =>
  logIn(attempt, deps)

/** The attempts recorded from an address, oldest first. */
const recordedFrom = (ipAddress: string) =>
  shared.query(
    `select user_id, username, client_id, user_agent, method, failure from identity.login_attempts
     where ip_address = $1 order by at, login_id`,
    [ipAddress],
  )
const nobody = { user_id: null, username: null, client_id: '', user_agent: 'A browser', method: 'password' }
const disable = (id: string) =>
  shared.query('update identity.users set disabled_at = now() where id = $1', [id])

test('records a successful login with its user, client, address and browser', async () => {
  const { id, username } = await shared.addUser({ username: 'Zoë' })
  const attempt = login('ZOË', rightPassword, { clientId: 'client_a' })
  expect(await tryLogin(attempt)).toMatchObject({ outcome: 'right' })
  expect(await recordedFrom(attempt.ipAddress)).toEqual([
    { ...nobody, user_id: id, username, client_id: 'client_a', failure: '' },
  ])
  const [row] = await shared.query(
    `select at between now() - interval '1 minute' and now() as now, login_id::text as id
     from identity.login_attempts where ip_address = $1`,
    [attempt.ipAddress],
  )
  expect(row).toEqual({ now: true, id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/) })
})

describe('records a failed login with its reason', () => {
  test('a wrong password', async () => {
    const { id, username } = await shared.addUser()
    const attempt = login(username, 'wrong password')
    expect(await tryLogin(attempt)).toEqual({ outcome: 'wrong' })
    expect(await recordedFrom(attempt.ipAddress)).toEqual([
      { ...nobody, user_id: id, username, failure: 'wrong_password' },
    ])
  })

  test('a user without a password', async () => {
    const { id, username } = await shared.addUser({ passwordHash: undefined })
    const attempt = login(username, 'any password')
    await tryLogin(attempt)
    expect(await recordedFrom(attempt.ipAddress)).toEqual([
      { ...nobody, user_id: id, username, failure: 'wrong_password' },
    ])
  })

  test('a disabled user', async () => {
    const { id, username } = await shared.addUser()
    await disable(id)
    const attempt = login(username, rightPassword)
    await tryLogin(attempt)
    expect(await recordedFrom(attempt.ipAddress)).toEqual([
      { ...nobody, user_id: id, username, failure: 'user_disabled' },
    ])
  })

  test('an unknown name, without storing anything that was typed', async () => {
    const attempt = login('hunter2-typed-as-name', 'hunter2-typed-as-password')
    await tryLogin(attempt)
    expect(await recordedFrom(attempt.ipAddress)).toEqual([{ ...nobody, failure: 'unknown_user' }])
    const rows = await shared.query('select a::text as row from identity.login_attempts a')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('hunter2')
  })

  test('a password that changes each time it has been checked', async () => {
    const { id, username } = await shared.addUser()
    const attempt = login(username, rightPassword)
    const sessions = { begin: async () => undefined }
    expect(await tryLogin(attempt, { ...shared.replica().login, sessions })).toEqual({ outcome: 'wrong' })
    expect(await recordedFrom(attempt.ipAddress)).toEqual([
      { ...nobody, user_id: id, username, failure: 'wrong_password' },
    ])
  })
})

test('records the password grant with its client and without a browser', async () => {
  const { id, username } = await shared.addUser()
  const attempt = { ...attemptOf(username, rightPassword), clientId: 'client_a' }
  const deps = shared.replica().login
  await authenticateUser(attempt, deps)
  await authenticateUser({ ...attempt, password: 'wrong password' }, deps)
  await authenticateUser({ ...attempt, username: 'nobody' }, deps)
  const row = { client_id: 'client_a', user_agent: '', method: 'password_grant' }
  const user = { user_id: id, username }
  expect(await recordedFrom(attempt.ipAddress)).toEqual([
    { ...row, ...user, failure: '' },
    { ...row, ...user, failure: 'wrong_password' },
    { ...row, user_id: null, username: null, failure: 'unknown_user' },
  ])
})

test('cuts texts and makes them storable in PostgreSQL', async () => {
  const { username } = await shared.addUser()
  const [ipAddress, clientId, userAgent] = ['1\0'.repeat(90), 'c\0'.repeat(300), `${'é\0'.repeat(300)}\ud800`]
  expect(await tryLogin(login(username, rightPassword, { ipAddress, clientId, userAgent }))).toMatchObject({
    outcome: 'right',
  })
  const [row] = await recordedFrom('1\\u{0}'.repeat(32).slice(0, 64))
  expect(row).toMatchObject({
    client_id: 'c '.repeat(128).slice(0, 255),
    user_agent: 'é\\u{0}'.repeat(200).slice(0, 400),
  })
})

describe('throttled attempts', () => {
  /** A replica’s deps with a clock that the test sets. */
  function throttling() {
    const clock = { now: 0 }
    return { clock, deps: { ...shared.another().login, mayRecord: createMinuteLimit(() => clock.now) } }
  }
  const throttledFrom = async (ipAddress: string) =>
    (await recordedFrom(ipAddress)).filter(({ failure }) => failure === 'too_many_failures')

  test('are recorded once a minute, with their user', async () => {
    const { clock, deps } = throttling()
    const { id, username } = await shared.addUser()
    const attempt = login(username, 'wrong password', { clientId: 'client_a' })
    for (let time = 0; time < 10; time += 1) await tryLogin(attempt, deps)
    for (let time = 0; time < 20; time += 1)
      expect(await tryLogin(attempt, deps)).toMatchObject({ outcome: 'throttled' })
    await Promise.all(Array.from({ length: 20 }, () => tryLogin(attempt, deps)))
    const row = { ...nobody, user_id: id, username, client_id: 'client_a', failure: 'too_many_failures' }
    expect(await throttledFrom(attempt.ipAddress)).toEqual([row])
    expect(await recordedFrom(attempt.ipAddress)).toHaveLength(11)
    clock.now += 59_999
    await tryLogin(attempt, deps)
    expect(await throttledFrom(attempt.ipAddress)).toHaveLength(1)
    clock.now += 1
    await tryLogin({ ...attempt, username: username.toUpperCase() }, deps)
    await tryLogin(attempt, deps)
    expect(await throttledFrom(attempt.ipAddress)).toEqual([row, row])
  })

  test('are recorded once a minute for a network, whatever names are tried, and without the names', async () => {
    const { deps } = throttling()
    const { ipAddress } = attemptOf('', '')
    for (let time = 0; time < 80; time += 1)
      await tryLogin(login(`hunter3-${time}`, 'wrong password', { ipAddress }), deps)
    expect(await throttledFrom(ipAddress)).toEqual([{ ...nobody, failure: 'too_many_failures' }])
    expect(await recordedFrom(ipAddress)).toHaveLength(51)
    const rows = await shared.query('select a::text as row from identity.login_attempts a')
    expect(JSON.stringify(rows)).not.toContain('hunter3')
  })
})

describe('deleting a user', () => {
  const remove = (id: string) => deleteUser(id, actor, shared.replica().admin.changes)
  const rowsOf = (id: string) =>
    shared.query('select failure from identity.login_attempts where user_id = $1', [id])

  test('deletes their login attempts, and nobody else’s', async () => {
    const [user, other] = [await shared.addUser(), await shared.addUser()]
    for (const { username } of [user, other]) {
      await tryLogin(login(username, rightPassword))
      await tryLogin(login(username, 'wrong password'))
    }
    await remove(user.id)
    expect(await rowsOf(user.id)).toEqual([])
    expect(await rowsOf(other.id)).toHaveLength(2)
    const rows = await shared.query('select a::text as row from identity.login_attempts a')
    expect(JSON.stringify(rows)).not.toContain(user.username)
  })

  test('leaves no row of theirs, even while one of their logins is being recorded', async () => {
    const { id } = await shared.addUser()
    const { database } = shared.another()
    const client = await database.pool.connect()
    // One connection in place of the pool, so that the store's statement runs in this transaction.
    const pool = client as unknown as typeof database.pool
    const recording = createLoginHistoryStore({
      database: { pool },
      mailsOn: false,
      makePartitions: async () => undefined,
    })
    const attempt = {
      clientId: undefined,
      ipAddress: id,
      userAgent: '',
      method: 'password',
      failure: undefined,
    }
    await client.query('begin')
    await recording.add({ ...attempt, userId: id })
    const removal = remove(id)
    await sleep(200)
    await client.query('commit')
    client.release()
    await removal
    expect(await rowsOf(id)).toEqual([])
    await shared.replica().loginHistory.add({ ...attempt, userId: id })
    expect(await recordedFrom(id)).toMatchObject([{ user_id: null, username: null }])
  })
})

test('fails a login that cannot be recorded, whether its password is right or wrong', async () => {
  const { username } = await shared.addUser()
  await shared.query(`
    create function identity.refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
    create trigger refuse before insert on identity.login_attempts for each row execute function identity.refuse()`)
  const refused = { code: 'temporarily_unavailable' }
  try {
    await expect(tryLogin(login(username, rightPassword))).rejects.toMatchObject(refused)
    await expect(tryLogin(login(username, 'wrong password'))).rejects.toMatchObject(refused)
    await expect(
      authenticateUser(attemptOf(username, rightPassword), shared.replica().login),
    ).rejects.toMatchObject(refused)
  } finally {
    await shared.query('drop function identity.refuse cascade')
  }
  expect(await tryLogin(login(username, rightPassword))).toMatchObject({ outcome: 'right' })
})
