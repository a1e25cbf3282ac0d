import { expect, test } from 'vitest'
import { getSession, listSessions } from '../../src/logins/session.ts'
import { pendingOf, useFactors } from '../store/factors/factors.ts'
import { useSocialLogins } from './social.ts'

const social = useSocialLogins()
const shared = useFactors()

/** The needs of a social login that stores its users where the factors are. */
const deps = () => {
  const { sessions, pendingLogins, names, social: stored } = shared.replica()
  const { accounts, logins, loginHistory } = stored
  return { ...social.deps(), names, sessions, pendingLogins, accounts, logins, loginHistory }
}

test('a login through a provider begins no session before the second factor is proven', async () => {
  const first = await social.logIn('github', deps())
  if (first.outcome !== 'right') throw new Error(first.outcome)
  const { user } = first.session.session
  const { app, enrolledAt } = await shared.addApp(first.session.secret)
  await shared.query('delete from identity.sessions where user_id = $1', [user.id])

  const second = await social.logIn('github', deps())
  if (second.outcome !== 'second factor') throw new Error(second.outcome)
  expect(second.returnTo).toBe('/account')
  expect(await listSessions(user.id, shared.replica().sessions)).toEqual([])
  const at = enrolledAt + 30_000
  const given = { kind: 'totp', text: app.code(at) } as const
  const proven = await shared.prove(pendingOf(second.pending.secret), given, { at })
  if (proven.outcome !== 'right') throw new Error(proven.outcome)
  const session = await getSession(proven.value.secret, shared.replica().sessions)
  // How the provider authenticated the user is not known.
  expect(session).toMatchObject({ user, methods: ['otp', 'mfa'] })
  expect(await shared.failuresOf(user.id)).toEqual(['github', 'github'])
})
