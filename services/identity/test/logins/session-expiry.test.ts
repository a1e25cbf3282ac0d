import { randomBytes } from 'node:crypto'
import { expiringSecret, expiryOf } from '@gatehouse/kit/expiring-secret'
import { expect, test } from 'vitest'
import { digestOf } from '../../src/basics/secret.ts'
import { getSession, logIn, sessionLifetime } from '../../src/logins/session.ts'
import { appCode, sessionOf, useFactors } from '../store/factors/factors.ts'
import { attemptOf, rightPassword } from '../store/replica.ts'

const shared = useFactors()
const find = (secret: string) => getSession(secret, shared.replica().sessions)
const inSeconds = (date: Date | undefined) => Math.floor((date?.getTime() ?? 0) / 1000)

/** Proves an app in a session that began before the user had one, which gives the session a new secret. */
async function raised(change: (secret: string) => Promise<string>) {
  const { username } = await shared.addUser()
  const begun = await shared.browserOf(username)
  const { app, enrolledAt } = await shared.addApp((await shared.browserOf(username)).secret)
  const secret = await change(begun.secret)
  const at = enrolledAt + 30_000
  const result = await shared.prove(sessionOf(secret), appCode(app.code(at)), { at })
  if (result.outcome !== 'right') throw new Error(result.outcome)
  return { before: secret, after: result.value.secret, id: begun.id }
}

test('a session’s secret carries the end of the session', async () => {
  const { username } = await shared.addUser()
  const { secret, session } = await shared.browserOf(username)
  expect(Math.abs((expiryOf(secret) ?? 0) - inSeconds(session.expiresAt))).toBeLessThan(30)
})

test('a secret with another expiry finds no session', async () => {
  const { username } = await shared.addUser()
  const { secret } = await shared.browserOf(username)
  const longer = expiringSecret(Buffer.from(secret, 'base64url'), (expiryOf(secret) ?? 0) + 86_400)
  expect(await find(longer)).toBeUndefined()
  expect(await find(secret)).toBeDefined()
})

test('a session that goes on when its user logs in again has a secret with its new end', async () => {
  const { username } = await shared.addUser()
  const first = await shared.browserOf(username)
  const later = { ...shared.replica().login, now: () => Date.now() + 3_600_000 }
  const attempt = {
    ...attemptOf(username, rightPassword),
    userAgent: 'A browser',
    previousSecret: first.secret,
  }
  const again = await logIn(attempt, later)
  if (again.outcome !== 'right') throw new Error(again.outcome)
  expect(again.value.session.id).toBe(first.id)
  expect(expiryOf(again.value.secret)).toBeGreaterThan((expiryOf(first.secret) ?? 0) + 3_590)
})

test('a session keeps the expiry of its secret when it gets a new secret, since it does not last longer', async () => {
  const { before, after } = await raised(async (secret) => secret)
  expect(after).not.toBe(before)
  expect(expiryOf(after)).toBe(expiryOf(before))
})

test('a session of release 0.7.0 goes on, also with a new secret, which carries no expiry either', async () => {
  const old = randomBytes(32).toString('base64url')
  const { after, id } = await raised(async (secret) => {
    await shared.query('update identity.sessions set secret_digest = $2 where secret_digest = $1', [
      digestOf(secret),
      digestOf(old),
    ])
    expect((await find(old))?.expiresAt.getTime()).toBeGreaterThan(Date.now() + sessionLifetime * 990)
    return old
  })
  expect(after).toMatch(/^[\w-]{43}$/)
  expect(expiryOf(after)).toBeUndefined()
  expect((await find(after))?.id).toBe(id)
})
