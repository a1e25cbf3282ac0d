import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { getLoginProblems } from '../../src/logins/login-problem.ts'
import { unlockUser } from '../../src/logins/login-unlock.ts'
import { attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const actor = { kind: 'user', id: randomUUID(), name: 'root', ipAddress: '192.0.2.9' } as const
const address = '192.0.2.33'
const logIn = (username: string, ipAddress = address, password: string = rightPassword) =>
  authenticateUser({ ...attemptOf(username, password), ipAddress }, shared.replica().login)
const unlock = (id: string) => {
  const { list: users, unlocks } = shared.replica().admin
  return unlockUser(id, actor, { users, unlocks })
}
const problemsOf = async (id: string) => {
  const { loginProblems, loginHistory } = shared.replica()
  return (await getLoginProblems(id, { ...loginProblems, loginHistory })).problems
}
const entriesOf = (id: string) =>
  shared.query(`select action from identity.audit_log where target = $1 and action = 'user.unlock'`, [id])

/** Fills a counter, because real failures take long. */
const fill = (kind: string, text: string, failures: number, underWay = 0) =>
  shared.query(
    `insert into identity.login_failures (kind, key_digest, failures, window_ends, under_way, under_way_until)
     values ($1, sha256(convert_to($2, 'UTF8')), $3, now() + interval '10 minutes', $4, now() + interval '1 minute')
     on conflict (kind, key_digest) do update set failures = excluded.failures, window_ends = excluded.window_ends`,
    [kind, text, failures, underWay],
  )

test('a user who is unlocked can log in again, by name and by address of mail; others gain nothing', async () => {
  const [ann, bob] = [await shared.addUser(), await shared.addUser()]
  const email = `Ann-${randomUUID()}@example.com`
  await shared.query('update identity.users set attributes = $2 where id = $1', [
    ann.id,
    { email, email_verified: true },
  ])
  await logIn(ann.username, address, 'wrong')
  await logIn(bob.username, address, 'wrong')
  for (const name of [ann.username, email, bob.username]) {
    await fill('user_ip', `${name.toLowerCase()}\n${address}`, 10)
    await fill('user', name.toLowerCase(), 200)
  }
  await fill('ip', address, 49)
  for (const name of [ann.username, email])
    await expect(logIn(name)).resolves.toMatchObject({ outcome: 'throttled' })

  // Two administrators at once: it happened once.
  await Promise.all([unlock(ann.id), unlock(ann.id)])
  expect(await problemsOf(ann.id)).toEqual([])
  for (const name of [ann.username, email]) expect((await logIn(name)).outcome).not.toBe('throttled')
  expect(await entriesOf(ann.id)).toHaveLength(1)
  expect(await logIn(bob.username)).toMatchObject({ outcome: 'throttled' })
  const [network] = await shared.query(
    `select failures from identity.login_failures where kind = 'ip' and key_digest = sha256(convert_to($1, 'UTF8'))`,
    [address],
  )
  expect(network?.failures).toBe(49)
  await unlock(ann.id)
  expect(await entriesOf(ann.id)).toHaveLength(1)
})

test('attempts under way stay counted', async () => {
  const { id, username } = await shared.addUser()
  await fill('user', username.toLowerCase(), 200, 3)
  await unlock(id)
  const rows = await shared.query(
    `select failures, under_way from identity.login_failures
     where kind = 'user' and key_digest = sha256(convert_to($1, 'UTF8'))`,
    [username.toLowerCase()],
  )
  expect(rows).toEqual([{ failures: 0, under_way: 3 }])
})

test.each(['', 'nobody', randomUUID()])('refuses the id %j, which no user has', async (id) => {
  await expect(unlock(id)).rejects.toMatchObject({ code: 'not_found' })
})
