import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { authenticateUser } from '../src/authentication.ts'
import { failureLimits, windowSeconds } from '../src/login-throttle.ts'
import { attemptOf, type Replica, rightPassword, useReplicas } from './replica.ts'

const shared = useReplicas()

const someAddress = () => attemptOf('', '').ipAddress
const attempt = (
  username: string,
  ipAddress: string,
  { password = 'wrong', knownBrowser = false, replica = shared.replica() } = {},
) => authenticateUser({ username, password, ipAddress, knownBrowser }, replica.login)

const fail = async (times: number, username: string, ipAddress: string) => {
  for (let time = 0; time < times; time += 1)
    expect(await attempt(username, ipAddress)).toEqual({ outcome: 'wrong' })
}

/** Counts failures without the work of making them. */
const pretend = (kind: 'ip' | 'user', key: string, failures: number) =>
  shared.query(
    `insert into identity.login_failures (kind, key_digest, failures, window_ends) values ($1, sha256(convert_to(lower($2), 'UTF8')), $3, now() + interval '10 min')`,
    [kind, key, failures],
  )

const failuresOf = async (kind: string, key: string) => {
  const rows = await shared.query(
    `select failures from identity.login_failures where kind = $1 and key_digest = sha256(convert_to(lower($2), 'UTF8'))`,
    [kind, key],
  )
  return rows[0]?.failures
}

/** Lets the windows of all that was counted so far end. */
const endWindows = () => shared.query(`update identity.login_failures set window_ends = now()`)

test.each(['known', 'unknown'])(
  'of parallel guesses on two replicas exactly ten get to the hash: %s user',
  async (kind) => {
    const username = kind === 'known' ? (await shared.addUser()).username : `nobody-${randomUUID()}`
    const replicas = [shared.another(), shared.another()]
    const ipAddress = someAddress()
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        attempt(username, ipAddress, { replica: replicas[index % 2] as Replica }),
      ),
    )
    expect(replicas.reduce((sum, { counts }) => sum + counts.compared, 0)).toBe(10)
    expect(replicas.reduce((sum, { counts }) => sum + counts.failed, 0)).toBe(10)
    expect(results.filter(({ outcome }) => outcome === 'wrong')).toHaveLength(10)
    expect(results.filter(({ outcome }) => outcome === 'throttled')).toHaveLength(30)
    expect(await failuresOf('ip', ipAddress)).toBe(10)
    expect(await failuresOf('user', username)).toBe(10)
  },
)

test('the eleventh attempt is refused even with the right password, with the seconds that are left', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(10, username, ipAddress)
  const refused = await attempt(username.toUpperCase(), ipAddress, { password: rightPassword })
  if (refused.outcome !== 'throttled') throw new Error(refused.outcome)
  expect(refused.retryAfter).toBeGreaterThan(windowSeconds - 60)
  expect(refused.retryAfter).toBeLessThanOrEqual(windowSeconds)
  // Another address, and another user there, are let through.
  expect(await attempt(username, someAddress(), { password: rightPassword })).toMatchObject({
    outcome: 'right',
  })
  const other = await shared.addUser()
  expect(await attempt(other.username, ipAddress, { password: rightPassword })).toMatchObject({
    outcome: 'right',
  })
})

test('a refused attempt changes no counter and no window', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(10, username, ipAddress)
  // A row that says 0 is as good as none.
  const all = () =>
    shared.query('select * from identity.login_failures where failures > 0 order by kind, key_digest')
  // With the transaction that wrote each row: not even for a moment may the refused fill what others are counted in.
  const written = () =>
    shared.query('select f::text, xmin::text from identity.login_failures f order by kind, key_digest')
  const before = await written()
  for (let time = 0; time < 3; time += 1) await attempt(username, ipAddress)
  expect(await written()).toEqual(before)
  await shared.query(`update identity.login_failures set failures = 50 where kind = 'ip'`)
  const full = await all()
  expect(await attempt(`other-${randomUUID()}`, ipAddress)).toMatchObject({ outcome: 'throttled' })
  expect(await all()).toEqual(full)
})

test('when the window has ended, the next failure begins another', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(10, username, ipAddress)
  await endWindows()
  await fail(1, username, ipAddress)
  expect(await failuresOf('user', username)).toBe(1)
  await fail(9, username, ipAddress)
  expect(await attempt(username, ipAddress)).toMatchObject({ outcome: 'throttled' })
})

test('a window begins with its first failure, not with a right login before it', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await attempt(username, ipAddress, { password: rightPassword })
  await shared.query(`update identity.login_failures set window_ends = now() + interval '1 min'`)
  await fail(1, username, ipAddress)
  const [row] = await shared.query(
    `select extract(epoch from window_ends - now()) as seconds from identity.login_failures
     where kind = 'ip' and key_digest = sha256(convert_to($1, 'UTF8'))`,
    [ipAddress],
  )
  expect(Number(row?.seconds)).toBeGreaterThan(windowSeconds - 60)
})

test('later failures do not prolong a window', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(1, username, ipAddress)
  const ends = () => shared.query('select window_ends from identity.login_failures order by kind, key_digest')
  const before = await ends()
  await fail(2, username, ipAddress)
  expect(await ends()).toEqual(before)
})

test('the right password forgets the failures of this name from this address, and only takes itself back from the others', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(9, username, ipAddress)
  expect(await attempt(username, ipAddress, { password: rightPassword })).toMatchObject({ outcome: 'right' })
  expect(await failuresOf('ip', ipAddress)).toBe(9)
  expect(await failuresOf('user', username)).toBe(9)
  await fail(10, username, ipAddress)
  expect(await attempt(username, ipAddress)).toMatchObject({ outcome: 'throttled' })
})

test('many logins with the right password at once are all let through, and leave no failure', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  const logins = Array.from({ length: 30 }, () => attempt(username, ipAddress, { password: rightPassword }))
  for (const result of await Promise.all(logins)) expect(result.outcome).toBe('right')
  expect(await failuresOf('ip', ipAddress)).toBe(0)
  expect(await failuresOf('user', username)).toBe(0)
})

test('an address has fifty failures, whatever the names', async () => {
  const ipAddress = someAddress()
  const { username } = await shared.addUser()
  await pretend('ip', ipAddress, failureLimits.network - 1)
  await fail(1, `nobody-${randomUUID()}`, ipAddress)
  const right = () => attempt(username, ipAddress, { password: rightPassword })
  expect(await right()).toMatchObject({ outcome: 'throttled' })
  expect(await failuresOf('ip', ipAddress)).toBe(50)
  expect(await failuresOf('user', username)).toBeUndefined()
  await endWindows()
  expect(await right()).toMatchObject({ outcome: 'right' })
})

test('an IPv6 caller is counted by his /64', async () => {
  const { username } = await shared.addUser()
  await pretend('ip', '2001:db8:a:b::/64', 50)
  const right = (ipAddress: string) => attempt(username, ipAddress, { password: rightPassword })
  expect(await right('2001:db8:a:b:1:2:3:4')).toMatchObject({ outcome: 'throttled' })
  expect(await right('2001:db8:a:c::1')).toMatchObject({ outcome: 'right' })
})

test('after two hundred failures of a name only a browser that knows the user goes on', async () => {
  const { username } = await shared.addUser()
  await pretend('user', username, failureLimits.user - 1)
  await fail(1, username, someAddress())
  const from = (knownBrowser: boolean) =>
    attempt(username, someAddress(), { password: rightPassword, knownBrowser })
  expect(await from(false)).toMatchObject({ outcome: 'throttled' })
  expect(await from(true)).toMatchObject({ outcome: 'right' })
  expect(await failuresOf('user', username)).toBe(200)
  expect(await from(false)).toMatchObject({ outcome: 'throttled' })
})

test('a browser that knows the user may still fail ten times only', async () => {
  const { username } = await shared.addUser()
  await pretend('user', username, 500)
  const ipAddress = someAddress()
  for (let time = 0; time < 10; time += 1)
    expect(await attempt(username, ipAddress, { knownBrowser: true })).toEqual({ outcome: 'wrong' })
  expect(await attempt(username, ipAddress, { knownBrowser: true })).toMatchObject({ outcome: 'throttled' })
})

test('a password that could not be looked at is no failure', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  const replica = shared.another()
  replica.login.hashing.matches = () => Promise.reject(new Error('too busy'))
  for (let time = 0; time < 12; time += 1)
    await expect(attempt(username, ipAddress, { replica })).rejects.toThrow('too busy')
  expect(await failuresOf('ip', ipAddress)).toBe(0)
  expect(await failuresOf('user', username)).toBe(0)
})

test('attempts that a process left behind do not count for ever', async () => {
  const { failures } = shared.replica().login
  const key = { username: `nobody-${randomUUID()}`, network: someAddress() }
  const count = () => failures.count(key, failureLimits)
  for (let time = 0; time < 10; time += 1) expect(await count()).toHaveProperty('attempt')
  expect(await count()).toBe('busy')
  await shared.query(`update identity.login_failures set under_way_until = now()`)
  expect(await count()).toHaveProperty('attempt')
  expect(await failuresOf('ip', key.network)).toBe(0)
})

test('who finds too many under way for long is told to come back in a second', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  const { failures } = shared.replica().login
  for (let time = 0; time < 10; time += 1)
    await failures.count({ username, network: ipAddress }, failureLimits)
  const refused = await attempt(username, ipAddress, { password: rightPassword })
  expect(refused).toEqual({ outcome: 'throttled', retryAfter: 1 })
})

test('names and addresses are kept as digests only', async () => {
  const username = `secret-typed-as-name-${randomUUID()}`
  const address = someAddress()
  await fail(1, username, address)
  const text = JSON.stringify(await shared.query('select f::text from identity.login_failures f'))
  expect(text).not.toContain('secret-typed')
  expect(text).not.toContain(address)
})

test('attempts that meet in every way do not wait for each other for ever', async () => {
  const replicas = [shared.replica(), shared.another()]
  const names = [`nobody-${randomUUID()}`, `nobody-${randomUUID()}`]
  const addresses = [someAddress(), someAddress()]
  const limits = { userAndNetwork: 1_000, network: 1_000, user: 1_000 }
  const rounds = Array.from({ length: 600 }, async (_, index) => {
    const store = (replicas[index % 2] as Replica).login.failures
    const key = {
      username: names[(index >> 1) % 2] as string,
      network: addresses[(index >> 2) % 2] as string,
    }
    const counted = await store.count(key, limits)
    if (counted === 'busy' || !('attempt' in counted)) throw new Error('throttled')
    await (index % 3 === 0 ? store.forgive(counted.attempt) : store.takeBack(counted.attempt))
  })
  await Promise.all(rounds)
  for (const address of addresses) expect(await failuresOf('ip', address)).toBe(0)
  for (const name of names) expect(await failuresOf('user', name)).toBe(0)
})
