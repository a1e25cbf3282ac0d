import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  appId,
  removeFactor,
  renamePasskey,
  renewRecoveryCodes,
  resetFactors,
} from '../../src/factors/factor-change.ts'
import { beginPasskeyLogin, logInWithPasskey } from '../../src/factors/passkey-login.ts'
import { listSessions } from '../../src/logins/session.ts'
import { appCode, browser, pendingOf, recoveryCode, sessionOf, useFactors } from '../store/factors/factors.ts'
import { actor, written } from '../store/replica.ts'

const shared = useFactors()
const factorsOf = (userId: string) => shared.deps().list.list(userId)
const loginRequired = { code: 'login_required' }

describe('changing', () => {
  test('a user renames and removes their own passkeys only', async () => {
    const ann = await shared.userWithSession()
    const bob = await shared.userWithSession()
    const annKeys = await shared.addPasskey(ann.secret)
    const bobKeys = await shared.addPasskey(bob.secret)
    const [mine] = (await factorsOf(ann.id)).passkeys
    const [theirs] = (await factorsOf(bob.id)).passkeys
    if (!mine || !theirs) throw new Error('a passkey is missing')
    const owner = sessionOf(annKeys.secret)
    const notFound = { code: 'not_found' }
    const renaming = renamePasskey(owner, { id: theirs.id, name: 'Stolen' }, shared.deps())
    await expect(renaming).rejects.toMatchObject(notFound)
    await expect(removeFactor(owner, theirs.id, shared.deps())).rejects.toMatchObject(notFound)
    for (const id of [randomUUID(), 'nothing', '', appId])
      await expect(removeFactor(owner, id, shared.deps())).rejects.toMatchObject(notFound)
    expect((await factorsOf(bob.id)).passkeys).toEqual([theirs])

    await renamePasskey(owner, { id: mine.id, name: 'Blue key' }, shared.deps())
    expect((await factorsOf(ann.id)).passkeys).toEqual([{ ...mine, name: 'Blue key' }])
    await removeFactor(owner, mine.id, shared.deps())
    expect((await factorsOf(ann.id)).passkeys).toEqual([])
    expect(bobKeys.recoveryCodes).toHaveLength(10)
  })

  test.each(['', ' ', 'x'.repeat(101), 'a\u202eb'])(
    'a name that people cannot read is refused: %j',
    async (name) => {
      const user = await shared.userWithSession()
      const { secret } = await shared.addPasskey(user.secret)
      const [passkey] = (await factorsOf(user.id)).passkeys
      const renaming = renamePasskey(sessionOf(secret), { id: passkey?.id ?? '', name }, shared.deps())
      await expect(renaming).rejects.toMatchObject({ code: 'invalid_request' })
    },
  )

  test('needs a login of the last five minutes', async () => {
    const user = await shared.userWithSession()
    const { secret } = await shared.addPasskey(user.secret)
    const [passkey] = (await factorsOf(user.id)).passkeys
    const id = passkey?.id ?? ''
    await shared.age(secret, 301)
    const owner = sessionOf(secret)
    for (const change of [
      () => renamePasskey(owner, { id, name: 'x' }, shared.deps()),
      () => removeFactor(owner, id, shared.deps()),
      () => renewRecoveryCodes(owner, shared.deps()),
    ])
      await expect(change()).rejects.toMatchObject(loginRequired)
    expect((await factorsOf(user.id)).passkeys).toEqual([passkey])
  })

  test('removing the last factor removes the recovery codes, and the password is enough again', async () => {
    const user = await shared.userWithSession()
    const { secret } = await shared.addApp(user.secret)
    await shared.addPasskey(secret)
    const [passkey] = (await factorsOf(user.id)).passkeys
    await removeFactor(sessionOf(secret), passkey?.id ?? '', shared.deps())
    expect((await factorsOf(user.id)).recoveryCodesLeft).toBe(10)
    await removeFactor(sessionOf(secret), appId, shared.deps())
    expect(await factorsOf(user.id)).toEqual({ passkeys: [], app: undefined, recoveryCodesLeft: 0 })
    expect((await shared.tryLogin(user.username)).outcome).toBe('right')
  })

  test('a removed factor proves nothing from then on, and ends logins that wait', async () => {
    const user = await shared.userWithSession()
    const { secret, app, enrolledAt, recoveryCodes } = await shared.addApp(user.secret)
    const { authenticator } = await shared.addPasskey(secret)
    const waiting = pendingOf(await shared.pendingLogin(user.username))
    await removeFactor(sessionOf(secret), appId, shared.deps())
    const at = enrolledAt + 30_000
    expect(await shared.prove(waiting, appCode(app.code(at)), { at })).toEqual({ outcome: 'ended' })
    expect(await shared.prove(waiting, recoveryCode(recoveryCodes[0] ?? ''))).toEqual({ outcome: 'ended' })
    const next = pendingOf(await shared.pendingLogin(user.username))
    expect(await shared.prove(next, appCode(app.code(at)), { at })).toEqual({ outcome: 'wrong' })
    const text = authenticator.get(await shared.passkeyOptions(next))
    expect((await shared.prove(next, { kind: 'passkey', text })).outcome).toBe('right')
  })

  test('a removed factor ends the sessions in other browsers, which may rest on it', async () => {
    const user = await shared.userWithSession()
    const elsewhere = await shared.browserOf(user.username)
    const { secret } = await shared.addApp(user.secret)
    await shared.addPasskey(secret)
    const [passkey] = (await factorsOf(user.id)).passkeys
    await removeFactor(sessionOf(secret), passkey?.id ?? '', shared.deps())
    const { sessions } = shared.replica()
    const left = (await listSessions(user.id, sessions)).map(({ id }) => id)
    expect(left).toHaveLength(1)
    expect(left).not.toContain(elsewhere.id)
  })

  test('new recovery codes replace all earlier ones', async () => {
    const user = await shared.userWithSession()
    const { secret, recoveryCodes: earlier } = await shared.addApp(user.secret)
    const renewed = await renewRecoveryCodes(sessionOf(secret), shared.deps())
    expect(renewed).toHaveLength(10)
    expect(renewed.filter((code) => earlier.includes(code))).toEqual([])
    const pending = pendingOf(await shared.pendingLogin(user.username))
    const old = await shared.prove(pending, recoveryCode(earlier[0] ?? ''))
    expect(old).toEqual({ outcome: 'wrong' })
    expect((await shared.prove(pending, recoveryCode(renewed[0] ?? ''))).outcome).toBe('right')
    const without = await shared.userWithSession()
    const renewing = renewRecoveryCodes(sessionOf(without.secret), shared.deps())
    await expect(renewing).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('resetting, as an administrator', () => {
  const reset = (userId: string, factorId?: string) =>
    resetFactors({ userId, factorId }, actor, shared.deps())

  test('removes all factors, ends sessions and logins that wait, and writes into the audit log', async () => {
    const user = await shared.userWithSession()
    const { secret } = await shared.addApp(user.secret)
    const { authenticator } = await shared.addPasskey(secret)
    const waiting = await shared.pendingLogin(user.username)
    await reset(user.id)
    expect(await factorsOf(user.id)).toEqual({ passkeys: [], app: undefined, recoveryCodesLeft: 0 })
    expect(await listSessions(user.id, shared.replica().sessions)).toEqual([])
    expect(await shared.deps().owners.find(pendingOf(waiting))).toBeUndefined()
    const before = { passkeys: 1, authenticator_app: true }
    expect(await shared.auditOf(user.id)).toEqual([written('user.factors.reset', before, null)])
    const { options, browserSecret } = await beginPasskeyLogin(shared.deps())
    const answer = authenticator.get(options)
    const alone = await logInWithPasskey({ answer, browserSecret, ...browser }, shared.deps())
    expect(alone).toEqual({ outcome: 'wrong' })
    expect((await shared.tryLogin(user.username)).outcome).toBe('right')
    const { emitted } = shared.replica()
    expect(emitted.filter(({ type, userId }) => type === 'factors_reset' && userId === user.id)).toHaveLength(
      1,
    )
  })

  test('removes one factor and leaves the others', async () => {
    const user = await shared.userWithSession()
    const { secret } = await shared.addApp(user.secret)
    await shared.addPasskey(secret)
    await reset(user.id, appId)
    const { passkeys, app, recoveryCodesLeft } = await factorsOf(user.id)
    expect([passkeys.length, app, recoveryCodesLeft]).toEqual([1, undefined, 10])
    expect((await shared.tryLogin(user.username)).outcome).toBe('second factor')
    const notFound = { code: 'not_found' }
    await expect(reset(user.id, appId)).rejects.toMatchObject(notFound)
    await expect(reset(user.id, randomUUID())).rejects.toMatchObject(notFound)
    await expect(reset(user.id, 'nothing')).rejects.toMatchObject(notFound)
    await expect(reset(randomUUID())).rejects.toMatchObject(notFound)
    await expect(reset('nobody')).rejects.toMatchObject(notFound)
  })

  test('leaves no session to a login with a removed passkey, however the two meet', async () => {
    for (let round = 1; round <= 15; round += 1) {
      const user = await shared.userWithSession()
      const { authenticator } = await shared.addPasskey(user.secret)
      const { options, browserSecret } = await beginPasskeyLogin(shared.deps())
      const login = { answer: authenticator.get(options), browserSecret, ...browser }
      await Promise.all([
        logInWithPasskey(login, shared.deps({}, shared.replica())),
        new Promise((resolve) => setTimeout(resolve, round % 8)).then(() => reset(user.id)),
      ])
      expect(await listSessions(user.id, shared.replica().sessions)).toEqual([])
    }
  })
})
