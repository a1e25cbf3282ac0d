import { expect, test } from 'vitest'
import { changePassword } from '../../src/accounts/password-change.ts'
import { resetPassword } from '../../src/accounts/password-reset.ts'
import { endSession, getSession } from '../../src/logins/session.ts'
import { deleteUser, endUserSessions, updateUser } from '../../src/users/user-change.ts'
import { actor, type Replica, rightPassword, useReplicas } from './replica.ts'

const shared = useReplicas({ recorded: true })

/** A user with two sessions, and a replica that has delivered nothing yet. */
async function userWithSessions() {
  const { id: userId, username } = await shared.addUser()
  const [one, other] = [await shared.browserOf(username), await shared.browserOf(username)]
  return { replica: shared.another(), userId, username, one, other, both: [one.id, other.id].sort() }
}
type World = Awaited<ReturnType<typeof userWithSessions>>

const revokedTargets = ({ revoked }: Replica, kind = 'session') =>
  revoked
    .filter((revocation) => revocation.kind === kind)
    .map(({ target }) => target)
    .sort()

const changes: [string, (world: World) => Promise<unknown>, (world: World) => string[]][] = [
  [
    'is ended by its user',
    ({ replica, userId, one }) => endSession({ userId, sessionId: one.id }, replica),
    ({ one }) => [one.id],
  ],
  [
    'is ended by an administrator',
    ({ replica, userId, one }) =>
      endUserSessions({ userId, sessionId: one.id }, actor, replica.admin.changes),
    ({ one }) => [one.id],
  ],
  [
    'ends with all others of its user',
    ({ replica, userId }) => endUserSessions({ userId }, actor, replica.admin.changes),
    ({ both }) => both,
  ],
  [
    'ends because its user changed the password in another one',
    ({ replica, one }) =>
      changePassword(
        {
          sessionSecret: one.secret,
          currentPassword: rightPassword,
          newPassword: 'another good password',
          ipAddress: '192.0.2.1',
          keepAccess: false,
        },
        replica.passwordChange,
      ),
    ({ other }) => [other.id],
  ],
  [
    'ends because an administrator reset the password',
    ({ replica, userId }) => resetPassword({ userId }, actor, replica.admin.changes),
    ({ both }) => both,
  ],
  [
    'ends because its user is disabled',
    ({ replica, userId }) => updateUser({ userId, disabled: true }, actor, replica.admin.changes),
    ({ both }) => both,
  ],
  [
    'ends because its user is deleted',
    ({ replica, userId }) => deleteUser(userId, actor, replica.admin.changes),
    ({ both }) => both,
  ],
]

test.each(changes)('the token service is told of a session that %s', async (_, change, expected) => {
  const world = await userWithSessions()
  await change(world)
  expect(revokedTargets(world.replica)).toEqual(expected(world))
  expect(await shared.query('select from identity.pending_revocations')).toEqual([])
})

test('the token service is told when another user logs in in the browser of a session', async () => {
  const { one } = await userWithSessions()
  const { username } = await shared.addUser()
  const before = revokedTargets(shared.replica())
  await shared.browserOf(username, { previousSecret: one.secret })
  expect(revokedTargets(shared.replica())).toEqual([...before, one.id].sort())
})

test('the token service is not told of a session that goes on, nor twice of one that ended', async () => {
  const { replica, userId, username, one } = await userWithSessions()
  const before = revokedTargets(shared.replica())
  const again = await shared.browserOf(username, { previousSecret: one.secret })
  expect([again.id, revokedTargets(shared.replica())]).toEqual([one.id, before])
  for (let time = 0; time < 2; time += 1) await endSession({ userId, sessionId: one.id }, replica)
  expect(revokedTargets(replica)).toEqual([one.id])
})

test('a session ends while the token service is away, which is told later', async () => {
  const { replica, userId, one } = await userWithSessions()
  replica.tokenAway = true
  await endSession({ userId, sessionId: one.id }, replica)
  expect(await getSession(one.secret, replica.sessions)).toBeUndefined()
  expect(revokedTargets(replica)).toEqual([])
  replica.tokenAway = false
  await replica.deliverAll()
  expect(revokedTargets(replica)).toEqual([one.id])
})

test('all of many sessions are told of, and the tokens of their user are revoked as well', async () => {
  const { id: userId, username } = await shared.addUser()
  const replica = shared.another()
  const ids: string[] = []
  for (let count = 0; count < 25; count += 1) ids.push((await shared.browserOf(username)).id)
  await updateUser({ userId, disabled: true }, actor, replica.admin.changes)
  expect(revokedTargets(replica)).toEqual(ids.sort())
  expect(revokedTargets(replica, 'user')).toEqual([userId])
})
