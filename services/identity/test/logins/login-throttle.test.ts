import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { failureLimits, windowSeconds } from '../../src/logins/login-throttle.ts'
import { attemptOf, type Replica, rightPassword, useReplicas } from '../store/replica.ts'

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

/** Adds failures directly, because real ones take long. */
const pretend = (kind: 'ip' | 'user', key: string, failures: number) =>
  shared.query(
    `insert into identity.login_failures (kind, key_digest, failures, window_ends) values ($1, sha256(convert_to(lower($2), 'UTF8')), $3, now() + interval '10 min')`,
    [kind, key, failures],
  )

const counterOf = async (kind: string, key: string) => {
  const [row] = await shared.query(
    `select failures, under_way from identity.login_failures where kind = $1 and key_digest = sha256(convert_to(lower($2), 'UTF8'))`,
    [kind, key],
  )
  return row
}
const failuresOf = async (kind: string, key: string) => (await counterOf(kind, key))?.failures

/** Ends all windows. */
const endWindows = () => shared.query(`update identity.login_failures set window_ends = now()`)

test.each(['known', 'unknown'])(
  'compares the hash for exactly ten of many parallel guesses on two replicas: %s user',
  async (kind) => {
    const username = kind === 'known' ? (await shared.addUser()).username : `nobody-${randomUUID()}`
    const replicas = patientReplicas(10)
    const ipAddress = someAddress()
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        attempt(username, ipAddress, { replica: replicas[index % 2] as Replica }),
      ),
    )
    expect(replicas.reduce((sum, { counts }) => sum + counts.compared, 0)).toBe(10)
    expect(replicas.reduce((sum, { counts }) => sum + counts.failed, 0)).toBe(10)
    expect(results.filter(({ outcome }) => outcome === 'wrong')).toHaveLength(10)
    expect(results.filter(({ outcome }) => outcome === 'throttled')).toHaveLength(90)
    expect(await failuresOf('ip', ipAddress)).toBe(10)
    expect(await failuresOf('user', username)).toBe(10)
  },
)

test('checks all of thirty right logins at once on two slow replicas', { timeout: 60_000 }, async () => {
  const { username } = await shared.addUser()
  const times = 3
  const replicas = patientReplicas(times)
  for (const { login } of replicas) {
    const { matches } = login.hashing
    // As on a busy machine: three rounds of ten take longer than two seconds.
    login.hashing.matches = (...sent) => sleep(900 * times).then(() => matches(...sent))
  }
  const ipAddress = someAddress()
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      attempt(username, ipAddress, { password: rightPassword, replica: replicas[index % 2] as Replica }),
    ),
  )
  expect(results.filter(({ outcome }) => outcome === 'right')).toHaveLength(30)
})

test('says that it is busy, and not that logins failed, while those under way do not end', async () => {
  const { username } = await shared.addUser()
  const replica = shared.another()
  const stuck = Promise.withResolvers<boolean>()
  replica.login.hashing.matches = () => stuck.promise
  replica.login.pause = () => sleep(1)
  const ipAddress = someAddress()
  const under = Array.from({ length: 10 }, () => attempt(username, ipAddress, { replica }))
  await expect.poll(async () => (await counterOf('ip', ipAddress))?.under_way).toBe(10)
  await expect(attempt(username, ipAddress, { replica })).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    retryAfter: 1,
  })
  stuck.resolve(false)
  expect((await Promise.all(under)).map(({ outcome }) => outcome)).toEqual(Array(10).fill('wrong'))
})

/** Two replicas whose attempts wait longer for each other, so that a test which takes as much longer is not lost to other load. */
const patientReplicas = (times: number) => {
  const replicas = [shared.another(), shared.another()]
  for (const { login } of replicas) login.pause = () => sleep(100 * times)
  return replicas
}

test('throttles the eleventh attempt even with the right password, and says how many seconds are left', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(10, username, ipAddress)
  const refused = await attempt(username.toUpperCase(), ipAddress, { password: rightPassword })
  if (refused.outcome !== 'throttled') throw new Error(refused.outcome)
  expect(refused.retryAfter).toBeGreaterThan(windowSeconds - 60)
  expect(refused.retryAfter).toBeLessThanOrEqual(windowSeconds)
  // The user from another address, and another user from this one, are not throttled.
  expect(await attempt(username, someAddress(), { password: rightPassword })).toMatchObject({
    outcome: 'right',
  })
  const other = await shared.addUser()
  expect(await attempt(other.username, ipAddress, { password: rightPassword })).toMatchObject({
    outcome: 'right',
  })
})

test('changes no counter and no window for a throttled attempt', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(10, username, ipAddress)
  // A row with 0 failures means the same as no row.
  const all = () =>
    shared.query('select * from identity.login_failures where failures > 0 order by kind, key_digest')
  // With each row's xmin: a throttled attempt must not fill another counter even for a moment.
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

test('begins a new window with the first failure after the previous one ended', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(10, username, ipAddress)
  await endWindows()
  await fail(1, username, ipAddress)
  expect(await failuresOf('user', username)).toBe(1)
  await fail(9, username, ipAddress)
  expect(await attempt(username, ipAddress)).toMatchObject({ outcome: 'throttled' })
})

test('begins a window with its first failure, not with a successful login before it', async () => {
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

test('does not extend a window for later failures', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(1, username, ipAddress)
  const ends = () => shared.query('select window_ends from identity.login_failures order by kind, key_digest')
  const before = await ends()
  await fail(2, username, ipAddress)
  expect(await ends()).toEqual(before)
})

test('the right password clears the failures of this name from this address, and leaves the other counters as they were', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  await fail(9, username, ipAddress)
  expect(await attempt(username, ipAddress, { password: rightPassword })).toMatchObject({ outcome: 'right' })
  expect(await failuresOf('ip', ipAddress)).toBe(9)
  expect(await failuresOf('user', username)).toBe(9)
  await fail(10, username, ipAddress)
  expect(await attempt(username, ipAddress)).toMatchObject({ outcome: 'throttled' })
})

test('accepts many logins with the right password at once, and counts no failure', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  const logins = Array.from({ length: 30 }, () => attempt(username, ipAddress, { password: rightPassword }))
  for (const result of await Promise.all(logins)) expect(result.outcome).toBe('right')
  expect(await failuresOf('ip', ipAddress)).toBe(0)
  expect(await failuresOf('user', username)).toBe(0)
})

test('throttles an address after fifty failures, whatever the names', async () => {
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

test('counts IPv6 callers by their /64', async () => {
  const { username } = await shared.addUser()
  await pretend('ip', '2001:db8:a:b::/64', 50)
  const right = (ipAddress: string) => attempt(username, ipAddress, { password: rightPassword })
  expect(await right('2001:db8:a:b:1:2:3:4')).toMatchObject({ outcome: 'throttled' })
  expect(await right('2001:db8:a:c::1')).toMatchObject({ outcome: 'right' })
})

test('after two hundred failures of a name, accepts only browsers in which the user has logged in before', async () => {
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

test('throttles a browser that the user has used before after ten failures', async () => {
  const { username } = await shared.addUser()
  await pretend('user', username, 500)
  const ipAddress = someAddress()
  for (let time = 0; time < 10; time += 1)
    expect(await attempt(username, ipAddress, { knownBrowser: true })).toEqual({ outcome: 'wrong' })
  expect(await attempt(username, ipAddress, { knownBrowser: true })).toMatchObject({ outcome: 'throttled' })
})

test('does not count a password that could not be checked as a failure', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  const replica = shared.another()
  replica.login.hashing.matches = () => Promise.reject(new Error('too busy'))
  for (let time = 0; time < 12; time += 1)
    await expect(attempt(username, ipAddress, { replica })).rejects.toThrow('too busy')
  expect(await failuresOf('ip', ipAddress)).toBe(0)
  expect(await failuresOf('user', username)).toBe(0)
})

test('stops counting attempts that a dead process left behind', async () => {
  const { failures } = shared.replica().login
  const key = { username: `nobody-${randomUUID()}`, network: someAddress() }
  const count = () => failures.count(key, failureLimits)
  for (let time = 0; time < 10; time += 1) expect(await count()).toHaveProperty('attempt')
  expect(await count()).toBe('busy')
  await shared.query(`update identity.login_failures set under_way_until = now()`)
  expect(await count()).toHaveProperty('attempt')
  expect(await failuresOf('ip', key.network)).toBe(0)
})

test('refuses an attempt for a second, not for failures, when too many others stay under way', async () => {
  const { username } = await shared.addUser()
  const ipAddress = someAddress()
  const { failures } = shared.replica().login
  for (let time = 0; time < 10; time += 1)
    await failures.count({ username, network: ipAddress }, failureLimits)
  const refused = attempt(username, ipAddress, { password: rightPassword })
  await expect(refused).rejects.toMatchObject({ code: 'temporarily_unavailable', retryAfter: 1 })
})

test('stores names and addresses only as digests', async () => {
  const username = `secret-typed-as-name-${randomUUID()}`
  const address = someAddress()
  await fail(1, username, address)
  const text = JSON.stringify(await shared.query('select f::text from identity.login_failures f'))
  expect(text).not.toContain('secret-typed')
  expect(text).not.toContain(address)
})

test('does not deadlock on attempts that share names and addresses', async () => {
  const replicas = [shared.replica(), shared.another()]
  const names = [`nobody-${randomUUID()}`, `nobody-${randomUUID()}`]
  const addresses = [someAddress(), someAddress()]
  const limits = { userAndNetwork: 1_000, network: 1_000, user: 1_000 }
  const round = async (index: number) => {
    const store = (replicas[index % 2] as Replica).login.failures
    const key = {
      username: names[(index >> 1) % 2] as string,
      network: addresses[(index >> 2) % 2] as string,
    }
    const counted = await store.count(key, limits)
    if (counted === 'busy' || !('attempt' in counted)) throw new Error('throttled')
    await (index % 3 === 0 ? store.forgive(counted.attempt) : store.takeBack(counted.attempt))
  }
  // No more at once than get a connection in time on a busy machine.
  for (let first = 0; first < 600; first += 60)
    await Promise.all(Array.from({ length: 60 }, (_, index) => round(first + index)))
  for (const address of addresses) expect(await failuresOf('ip', address)).toBe(0)
  for (const name of names) expect(await failuresOf('user', name)).toBe(0)
})
