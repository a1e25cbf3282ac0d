import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { getLoginProblems, type LoginProblemDeps } from '../../src/logins/login-problem.ts'
import { createLoginProblemStore } from '../../src/store/logins/login-problems.ts'
import { attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()

const problemsOf = (id: string, changes: Partial<LoginProblemDeps> = {}) =>
  getLoginProblems(id, {
    ...shared.replica().loginProblems,
    loginHistory: shared.replica().loginHistory,
    ...changes,
  })
const codesOf = async (id: string, changes: Partial<LoginProblemDeps> = {}) =>
  (await problemsOf(id, changes)).problems.map(({ code }) => code)
const setAttributes = (id: string, attributes: object) =>
  shared.query('update identity.users set attributes = $2 where id = $1', [id, attributes])
const tryPassword = (username: string, ipAddress: string, password = 'wrong') =>
  authenticateUser({ ...attemptOf(username, password), ipAddress }, shared.replica().login)

/** Fills a counter, because real failures take long. */
const fill = (kind: string, text: string, failures: number, minutes = 10) =>
  shared.query(
    `insert into identity.login_failures (kind, key_digest, failures, window_ends)
     values ($1, sha256(convert_to($2, 'UTF8')), $3, now() + make_interval(mins => $4))`,
    [kind, text, failures, minutes],
  )

test('a user who can log in has no problems', async () => {
  const { id } = await shared.addUser()
  expect(await problemsOf(id)).toEqual({ problems: [], lastFailures: [] })
})

test.each(['', 'nobody', randomUUID()])('refuses the id %j, which no user has', async (id) => {
  await expect(problemsOf(id)).rejects.toMatchObject({ code: 'not_found' })
})

test('says that a user is disabled, or has nothing to log in with', async () => {
  const disabled = await shared.addUser()
  await shared.query('update identity.users set disabled_at = now() where id = $1', [disabled.id])
  expect(await codesOf(disabled.id)).toEqual(['disabled'])

  const bare = await shared.addUser({ passwordHash: undefined })
  expect(await codesOf(bare.id)).toEqual(['no_credentials'])
  await shared.query(
    `insert into identity.social_accounts (provider, subject, user_id, display_name, linked_at)
     values ('github', $1, $2, 'Ann', now())`,
    [randomUUID(), bare.id],
  )
  expect(await codesOf(bare.id)).toEqual(['no_password'])
})

test('says why a user cannot log in by e-mail address', async () => {
  const [{ id }, other] = [await shared.addUser(), await shared.addUser()]
  await setAttributes(id, { email: 'Ann@example.com', email_verified: false })
  expect(await codesOf(id)).toEqual(['email_unverified'])
  await setAttributes(id, { email: 'Ann@example.com', email_verified: true })
  expect(await codesOf(id)).toEqual([])
  await setAttributes(other.id, { email: 'ann@EXAMPLE.com', email_verified: true })
  expect(await codesOf(id)).toEqual(['email_shared'])
  await setAttributes(other.id, { email: 'ann@EXAMPLE.com', email_verified: false })
  expect(await codesOf(id)).toEqual([])
})

describe('second factors', () => {
  test('one that is required and missing, for those of whom OAUTH2_MFA demands it', async () => {
    const { id } = await shared.addUser()
    const root = await shared.addUser({ adminRole: 'owner' })
    const codesUnder = (policy: 'administrators' | 'required', userId: string) =>
      codesOf(userId, { problems: createLoginProblemStore(shared.replica().database, policy) })
    expect(await codesUnder('administrators', id)).toEqual([])
    expect(await codesUnder('administrators', root.id)).toEqual(['second_factor_missing'])
    expect(await codesUnder('required', id)).toEqual(['second_factor_missing'])
  })

  test('one that this server cannot check', async () => {
    const { id } = await shared.addUser()
    await shared.query(
      `insert into identity.passkeys (id, user_id, credential_id, public_key, counter, backup_eligible, backed_up, name)
       values (gen_random_uuid(), $1, $2, '', 0, false, false, 'Key')`,
      [id, Buffer.from(randomUUID())],
    )
    expect(await codesOf(id)).toEqual([])
    expect(await codesOf(id, { passkeysWork: false })).toEqual(['second_factor_unusable'])
  })

  test('too many wrong codes, until the last window ends', async () => {
    const { id } = await shared.addUser()
    await fill('code', id, 9)
    expect(await codesOf(id)).toEqual([])
    await shared.query(`update identity.login_failures set failures = 10 where kind = 'code'`)
    await fill('code_day', id, 50, 600)
    const { problems } = await problemsOf(id)
    expect(problems).toEqual([{ code: 'too_many_codes', until: expect.any(Date) }])
    expect(Number(problems[0]?.until) - Date.now()).toBeGreaterThan(590 * 60_000)
  })
})

describe('too many wrong passwords', () => {
  test('stop an address, until the window ends, as the login itself says', async () => {
    const { id, username } = await shared.addUser()
    const { ipAddress } = attemptOf('', '')
    for (let time = 0; time < 9; time += 1) await tryPassword(username.toUpperCase(), ipAddress)
    expect(await codesOf(id)).toEqual([])
    await tryPassword(username, ipAddress)
    const { problems, lastFailures } = await problemsOf(id)
    expect(problems).toEqual([{ code: 'too_many_failures', ipAddress, until: expect.any(Date) }])
    const left = Number(problems[0]?.until) - Date.now()
    expect(await tryPassword(username, ipAddress, rightPassword)).toEqual({
      outcome: 'throttled',
      retryAfter: expect.closeTo(left / 1000, -1),
    })
    expect(await tryPassword(username, attemptOf('', '').ipAddress, rightPassword)).toMatchObject({
      outcome: 'right',
    })
    expect(lastFailures.map(({ failure, ipAddress: from }) => [failure, from])).toEqual(
      Array.from({ length: 5 }, () => ['wrong_password', ipAddress]),
    )
    await shared.query('update identity.login_failures set window_ends = now()')
    expect(await codesOf(id)).toEqual([])
  })

  test('for the name or the address with which users log in, stop them from everywhere', async () => {
    const { id, username } = await shared.addUser()
    await fill('user', username.toLowerCase(), 200)
    expect((await problemsOf(id)).problems).toEqual([{ code: 'too_many_failures', until: expect.any(Date) }])
    await shared.query('delete from identity.login_failures')
    await setAttributes(id, { email: 'Zoe@example.com', email_verified: true })
    await fill('user', 'zoe@example.com', 200)
    expect(await codesOf(id)).toEqual(['too_many_failures'])
  })

  test('of other users stop all from a network', async () => {
    const { id, username } = await shared.addUser()
    const ipAddress = '2001:db8:1:2::7'
    await tryPassword(username, ipAddress)
    expect(await codesOf(id)).toEqual([])
    await shared.query(`update identity.login_failures set failures = 50 where kind = 'ip'`)
    expect((await problemsOf(id)).problems).toMatchObject([{ code: 'too_many_failures', ipAddress }])
  })
})

test('tells no logins of anybody else', async () => {
  const [{ id }, other] = [await shared.addUser(), await shared.addUser()]
  await tryPassword(other.username, attemptOf('', '').ipAddress)
  expect((await problemsOf(id)).lastFailures).toEqual([])
})
