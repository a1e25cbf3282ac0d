import { describe, expect, test } from 'vitest'
import { beginEnrollingApp, beginPasskeyEnrolment } from '../../src/factors/enrolment.ts'
import { appId, removeFactor } from '../../src/factors/factor-change.ts'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { getSession } from '../../src/logins/session.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { pendingOf, sessionOf, useFactors } from '../store/factors/factors.ts'
import { actor, attemptOf, rightPassword } from '../store/replica.ts'

describe('OAUTH2_MFA required', () => {
  const shared = useFactors({ policy: 'required' })

  test('a user without a factor enrols one in the login that waits, and has a session then', async () => {
    for (const enrol of [shared.addApp, shared.addPasskey]) {
      const { id, username } = await shared.addUser()
      const pending = await shared.pendingLogin(username)
      expect(await getSession(pending, shared.replica().sessions)).toBeUndefined()
      const enrolled = await (enrol === shared.addApp
        ? shared.addApp(pending, pendingOf(pending))
        : shared.addPasskey(pending, {}, pendingOf(pending)))
      expect(enrolled.recoveryCodes).toHaveLength(10)
      const session = await getSession(enrolled.secret, shared.replica().sessions)
      expect(session).toMatchObject({ user: { id }, secondFactorDue: false })
      expect(session?.methods).toContain('mfa')
      expect(await shared.failuresOf(id)).toEqual(['password'])
      // The login is complete.
      await expect(beginPasskeyEnrolment(pendingOf(pending), shared.deps())).rejects.toMatchObject({
        code: 'login_required',
      })
    }
  })

  test('the session of another login does not finish the enrolment of this one', async () => {
    const { username } = await shared.addUser()
    const [one, two] = [await shared.pendingLogin(username), await shared.pendingLogin(username)]
    await beginEnrollingApp(pendingOf(one), shared.deps())
    await shared.addPasskey(two, {}, pendingOf(two))
    await expect(beginEnrollingApp(pendingOf(one), shared.deps())).rejects.toMatchObject({
      code: 'login_required',
    })
  })

  test('nobody removes their last factor', async () => {
    const { username } = await shared.addUser()
    const pending = await shared.pendingLogin(username)
    const { secret } = await shared.addApp(pending, pendingOf(pending))
    const removing = removeFactor(sessionOf(secret), appId, shared.deps())
    await expect(removing).rejects.toMatchObject({ code: 'access_denied' })
    await shared.addPasskey(secret)
    await removeFactor(sessionOf(secret), appId, shared.deps())
  })

  test('the password grant refuses everybody', async () => {
    const { id, username } = await shared.addUser()
    const attempt = attemptOf(username, rightPassword)
    expect(await authenticateUser(attempt, shared.replica().login)).toEqual({ outcome: 'wrong' })
    expect(await shared.failuresOf(id)).toEqual(['password_grant second_factor_required'])
  })

  test('a login cannot enrol a factor once its user has changed the password', async () => {
    const { id, username } = await shared.addUser()
    const pending = await shared.pendingLogin(username)
    await shared.query(`update identity.users set password_hash = 'another' where id = $1`, [id])
    await expect(beginPasskeyEnrolment(pendingOf(pending), shared.deps())).rejects.toMatchObject({
      code: 'login_required',
    })
  })
})

describe('OAUTH2_MFA administrators', () => {
  const shared = useFactors({ policy: 'administrators' })

  test('demands a factor of administrators only', async () => {
    const [admin, user] = [await shared.addUser({ adminRole: 'owner' }), await shared.addUser()]
    expect((await shared.tryLogin(user.username)).outcome).toBe('right')
    const pending = await shared.pendingLogin(admin.username)
    const { secret } = await shared.addPasskey(pending, {}, pendingOf(pending))
    const support = await shared.addUser({ adminRole: 'support' })
    expect((await shared.tryLogin(support.username)).outcome).toBe('second factor')
    expect(await getSession(secret, shared.replica().sessions)).toMatchObject({ secondFactorDue: false })
    const attempt = attemptOf(user.username, rightPassword)
    expect((await authenticateUser(attempt, shared.replica().login)).outcome).toBe('right')
  })

  test('a session of a user who becomes an administrator is due a second factor at once', async () => {
    const { id, username } = await shared.addUser()
    const { secret } = await shared.browserOf(username)
    const { sessions, admin } = shared.replica()
    expect(await getSession(secret, sessions)).toMatchObject({ secondFactorDue: false })
    await updateUser({ userId: id, adminRole: 'owner' }, actor, admin.changes)
    expect(await getSession(secret, sessions)).toMatchObject({ secondFactorDue: true })
    const enrolled = await shared.addApp(secret)
    expect(await getSession(enrolled.secret, sessions)).toMatchObject({ secondFactorDue: false })
  })
})
