import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  beginEnrollingApp,
  beginPasskeyEnrolment,
  enrolApp,
  enrolPasskey,
} from '../../src/factors/enrolment.ts'
import { appId, mostPasskeys, removeFactor, renewRecoveryCodes } from '../../src/factors/factor-change.ts'
import { beginPasskeyLogin } from '../../src/factors/passkey-login.ts'
import { createSeedEncryption } from '../../src/factors/seed-encryption.ts'
import { stepSeconds, totpCode } from '../../src/factors/totp.ts'
import { getSession } from '../../src/logins/session.ts'
import { appCode, browser, pendingOf, seedOf, sessionOf, useFactors } from '../store/factors/factors.ts'
import { createAuthenticator } from './authenticator.ts'

const shared = useFactors()
const factorsOf = (userId: string) => shared.deps().list.list(userId)
const loginRequired = { code: 'login_required' }

test('the first factor gives recovery codes and raises its session, the second one gives none', async () => {
  const user = await shared.userWithSession()
  const { recoveryCodes, secret } = await shared.addApp(user.secret)
  expect(recoveryCodes).toHaveLength(10)
  const { sessions } = shared.replica()
  expect(await getSession(user.secret, sessions)).toBeUndefined()
  expect(await getSession(secret, sessions)).toMatchObject({ methods: ['pwd', 'otp', 'mfa'] })
  const second = await shared.addPasskey(secret)
  expect(second.recoveryCodes).toEqual([])
  expect(second.secret).toBe(secret)
  const { passkeys, app, recoveryCodesLeft } = await factorsOf(user.id)
  expect(passkeys).toEqual([
    {
      id: expect.any(String),
      name: 'My key',
      createdAt: expect.any(Date),
      lastUsedAt: undefined,
      backedUp: false,
    },
  ])
  expect(app).toEqual({ createdAt: expect.any(Date), lastUsedAt: undefined })
  expect(recoveryCodesLeft).toBe(10)
  const { emitted } = shared.replica()
  expect(emitted.filter(({ userId }) => userId === user.id).map(({ type }) => type)).toEqual([
    'factor_enrolled',
    'factor_enrolled',
  ])
})

test('needs a login of the last five minutes', async () => {
  const { id, secret } = await shared.userWithSession()
  await shared.age(secret, 301)
  const owner = sessionOf(secret)
  await expect(beginPasskeyEnrolment(owner, shared.deps())).rejects.toMatchObject(loginRequired)
  await expect(beginEnrollingApp(owner, shared.deps())).rejects.toMatchObject(loginRequired)
  await shared.age(secret, -10)
  const options = await beginPasskeyEnrolment(owner, shared.deps())
  const app = await beginEnrollingApp(owner, shared.deps())
  expect(app).toBeDefined()
  await shared.age(secret, 10)
  const answer = createAuthenticator().create(options)
  const enrolling = enrolPasskey(owner, { answer, name: 'x' }, browser, shared.deps())
  await expect(enrolling).rejects.toMatchObject(loginRequired)
  await expect(enrolApp(owner, '123456', browser, shared.deps())).rejects.toMatchObject(loginRequired)
  expect((await factorsOf(id)).passkeys).toEqual([])
})

test('and the store asks again in the transaction', async () => {
  const { id, secret } = await shared.userWithSession()
  const owner = sessionOf(secret)
  const answer = createAuthenticator().create(await beginPasskeyEnrolment(owner, shared.deps()))
  const { owners } = shared.deps()
  const late = {
    find: async (one: typeof owner) => {
      const state = await owners.find(one)
      await shared.age(secret, 301)
      return state
    },
  }
  const enrolling = enrolPasskey(owner, { answer, name: 'x' }, browser, shared.deps({ owners: late }))
  await expect(enrolling).rejects.toMatchObject(loginRequired)
  expect((await factorsOf(id)).passkeys).toEqual([])
})

test('needs the second factor of a user who has one, in a session that began without it', async () => {
  const user = await shared.addUser()
  const thief = await shared.browserOf(user.username)
  const owner = await shared.browserOf(user.username)
  await shared.addApp(owner.secret)
  const stolen = sessionOf(thief.secret)
  await expect(beginPasskeyEnrolment(stolen, shared.deps())).rejects.toMatchObject(loginRequired)
  await expect(removeFactor(stolen, appId, shared.deps())).rejects.toMatchObject(loginRequired)
  await expect(renewRecoveryCodes(stolen, shared.deps())).rejects.toMatchObject(loginRequired)
  expect((await factorsOf(user.id)).app).toBeDefined()
})

test('a pending login of a user who has a factor enrols none and changes none', async () => {
  const { id, username } = await shared.userWithApp()
  const pending = pendingOf(await shared.pendingLogin(username))
  await expect(beginPasskeyEnrolment(pending, shared.deps())).rejects.toMatchObject(loginRequired)
  await expect(beginEnrollingApp(pending, shared.deps())).rejects.toMatchObject(loginRequired)
  await expect(removeFactor(pending, appId, shared.deps())).rejects.toMatchObject(loginRequired)
  await expect(renewRecoveryCodes(pending, shared.deps())).rejects.toMatchObject(loginRequired)
  expect((await factorsOf(id)).app).toBeDefined()
})

test('an app’s secret stays the same while its page is loaded again, and is the session’s own', async () => {
  const user = await shared.addUser()
  const [one, two] = [await shared.browserOf(user.username), await shared.browserOf(user.username)]
  const first = await beginEnrollingApp(sessionOf(one.secret), shared.deps())
  expect(await beginEnrollingApp(sessionOf(one.secret), shared.deps())).toEqual(first)
  expect(first?.secret).toMatch(/^[A-Z2-7]{32}$/)
  const other = await beginEnrollingApp(sessionOf(two.secret), shared.deps())
  expect(other?.secret).not.toBe(first?.secret)
  const rows = await shared.query('select seed from identity.totp_enrolments where user_id = $1', [user.id])
  expect(rows).toHaveLength(1)
  // The first session's enrolment is gone.
  const enrolling = enrolApp(sessionOf(one.secret), '123456', browser, shared.deps())
  await expect(enrolling).rejects.toMatchObject(loginRequired)
})

test('a wrong code enrols no app and counts as a wrong code', async () => {
  const { id, secret } = await shared.userWithSession()
  await beginEnrollingApp(sessionOf(secret), shared.deps())
  const results: string[] = []
  for (let attempt = 1; attempt <= 11; attempt += 1)
    results.push((await enrolApp(sessionOf(secret), 'x', browser, shared.deps())).outcome)
  expect(results.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'wrong'))
  expect(results[10]).toBe('throttled')
  expect((await factorsOf(id)).app).toBeUndefined()
})

test('a new app replaces the earlier one, and the recovery codes stay', async () => {
  const user = await shared.userWithSession()
  const first = await shared.addApp(user.secret)
  const second = await shared.addApp(first.secret)
  expect(second.recoveryCodes).toEqual([])
  const at = second.enrolledAt + 30_000
  const pending = pendingOf(await shared.pendingLogin(user.username))
  const withFirst = await shared.prove(pending, appCode(first.app.code(at)), { at })
  expect(withFirst).toEqual({ outcome: 'wrong' })
  expect((await shared.prove(pending, appCode(second.app.code(at)), { at })).outcome).toBe('right')
  expect((await factorsOf(user.id)).recoveryCodesLeft).toBe(10)
})

test('a passkey that somebody has already is refused, and so is one too many', async () => {
  const ann = await shared.userWithSession()
  const { authenticator, secret } = await shared.addPasskey(ann.secret)
  const bob = await shared.userWithSession()
  const enrol = async (session: string, with_ = createAuthenticator()) => {
    const owner = sessionOf(session)
    const answer = with_.create(await beginPasskeyEnrolment(owner, shared.deps()))
    return enrolPasskey(owner, { answer, name: 'A key' }, browser, shared.deps())
  }
  expect(await enrol(bob.secret, authenticator)).toBe('taken')
  expect((await factorsOf(bob.id)).recoveryCodesLeft).toBe(0)
  for (let count = 2; count <= mostPasskeys; count += 1)
    expect(await enrol(secret)).toMatchObject({ recoveryCodes: [] })
  expect(await enrol(secret)).toBe('too many')
})

test('tells the browser which passkeys it has already, and asks for no attestation', async () => {
  const user = await shared.userWithSession()
  const { authenticator, secret } = await shared.addPasskey(user.secret)
  const options = JSON.parse((await beginPasskeyEnrolment(sessionOf(secret), shared.deps())) ?? 'null')
  const id = authenticator.credentialId.toString('base64url')
  expect(options).toMatchObject({
    attestation: 'none',
    rp: { id: 'auth.example' },
    user: { name: user.username },
    excludeCredentials: [{ id, type: 'public-key', transports: ['internal'] }],
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  expect(Buffer.from(options.user.id, 'base64url').toString('hex')).toBe(user.id.replaceAll('-', ''))
})

test('without https, and without OAUTH2_FACTOR_KEY, nothing is offered', async () => {
  const { secret } = await shared.userWithSession()
  const nowhere = shared.deps({ relyingParty: undefined, seeds: undefined })
  expect(await beginPasskeyEnrolment(sessionOf(secret), nowhere)).toBeUndefined()
  expect(await beginEnrollingApp(sessionOf(secret), nowhere)).toBeUndefined()
  expect((await beginPasskeyLogin(nowhere)).options).toBeUndefined()
})

test('an app that was begun with another key is kept with the current one', async () => {
  const { id, secret } = await shared.userWithSession()
  const owner = sessionOf(secret)
  const begun = await beginEnrollingApp(owner, shared.deps())
  const seed = seedOf(begun?.secret ?? '')
  const [old, fresh] = [
    'the factor key of the tests, 32 characters',
    'another factor key of the tests, 32 characters',
  ]
  const swapped = shared.deps({ seeds: createSeedEncryption([fresh, old], randomBytes) })
  const code = totpCode(seed, Math.floor(Date.now() / 1000 / stepSeconds))
  expect(await enrolApp(owner, code, browser, swapped)).toMatchObject({ outcome: 'right' })
  const [row] = await shared.query('select seed from identity.totp_factors where user_id = $1', [id])
  expect(createSeedEncryption(fresh, randomBytes).decrypt(row?.seed as Buffer, id)).toEqual(seed)
})
