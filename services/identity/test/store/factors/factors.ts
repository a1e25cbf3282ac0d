import { randomBytes } from 'node:crypto'
import type { AdminRole } from '@gatehouse/proto/administration'
import { expect } from 'vitest'
import { digestOf } from '../../../src/basics/secret.ts'
import {
  beginEnrollingApp,
  beginPasskeyEnrolment,
  enrolApp,
  enrolPasskey,
} from '../../../src/factors/enrolment.ts'
import { passkeyQuestion } from '../../../src/factors/passkey.ts'
import { type GivenFactor, proveSecondFactor } from '../../../src/factors/second-factor-proof.ts'
import { stepSeconds, totpCode } from '../../../src/factors/totp.ts'
import type { FactorOwner } from '../../../src/logins/second-factor.ts'
import { logIn } from '../../../src/logins/session.ts'
import { sessionOf } from '../../../src/rpc/factor-owner-rpc.ts'
import type { SessionRules } from '../../../src/store/logins/session-beginnings.ts'
import { type Authenticator, type Behaviour, createAuthenticator } from '../../factors/authenticator.ts'
import { attemptOf, type Replica, rightPassword, useReplicas } from '../replica.ts'

export { sessionOf }

/** The owner of a pending login's secret. */
export const pendingOf = (secret: string): FactorOwner => ({ kind: 'pending', digest: digestOf(secret) })

/** A browser of a user who proves a factor. */
export const browser = { ipAddress: '192.0.2.9', userAgent: 'A browser', previousSecret: undefined }

/** Decodes base32 (RFC 4648 section 6), as an authenticator app does. */
export function seedOf(secret: string): Buffer {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** A user's authenticator app: gives the code of a moment. */
export type App = { seed: Buffer; code(at?: number): string }

/** Creates replicas, and what tests of second factors need. */
export function useFactors(rules: Partial<SessionRules> = {}) {
  const shared = useReplicas(rules)
  const deps = (changes: Partial<Replica['factors']> = {}, replica = shared.replica()) => ({
    ...replica.factors,
    ...changes,
  })

  /** Logs a user in with their password. */
  async function tryLogin(username: string, changes: object = {}) {
    const attempt = { ...attemptOf(username, rightPassword), userAgent: 'A browser' }
    return logIn({ ...attempt, previousSecret: undefined, ...changes }, shared.replica().login)
  }

  /** Logs a user in, who must prove a second factor then. @returns the secret of the pending login */
  async function pendingLogin(username: string, changes: object = {}): Promise<string> {
    const result = await tryLogin(username, changes)
    if (result.outcome !== 'second factor') throw new Error(`the login was ${result.outcome}`)
    return result.pending.secret
  }

  async function addPasskey(
    secret: string,
    behaviour: Partial<Behaviour> = {},
    owner = sessionOf(secret),
  ): Promise<{ authenticator: Authenticator; secret: string; recoveryCodes: readonly string[] }> {
    const authenticator = createAuthenticator(behaviour)
    const answer = authenticator.create(await beginPasskeyEnrolment(owner, deps()))
    const enrolled = await enrolPasskey(owner, { answer, name: 'My key' }, browser, deps())
    if (typeof enrolled === 'string') throw new Error(`the passkey was ${enrolled}`)
    const { recoveryCodes, session } = enrolled
    return { authenticator, recoveryCodes, secret: session?.secret ?? secret }
  }

  async function addApp(
    secret: string,
    owner = sessionOf(secret),
  ): Promise<{ app: App; secret: string; recoveryCodes: readonly string[]; enrolledAt: number }> {
    const begun = await beginEnrollingApp(owner, deps())
    if (begun === undefined) throw new Error('no apps are offered')
    const seed = seedOf(begun.secret)
    const code = (at = Date.now()) => totpCode(seed, Math.floor(at / 1000 / stepSeconds))
    const enrolledAt = Date.now()
    const result = await enrolApp(owner, code(enrolledAt), browser, deps({ now: () => enrolledAt }))
    if (result.outcome !== 'right') throw new Error(`the app was ${result.outcome}`)
    const { recoveryCodes, session } = result.value
    return { app: { seed, code }, recoveryCodes, secret: session?.secret ?? secret, enrolledAt }
  }

  /** Proves a second factor at a moment. */
  function prove(
    owner: FactorOwner,
    given: GivenFactor,
    { at = Date.now(), ...changes }: Partial<Replica['factors']> & { at?: number } = {},
  ) {
    return proveSecondFactor(owner, given, browser, deps({ now: () => at, ...changes }))
  }

  /** The question of the page for the second factor to the browser. */
  async function passkeyOptions(owner: FactorOwner): Promise<string | undefined> {
    const state = await deps().owners.find(owner)
    if (state === undefined) throw new Error('the owner has ended')
    const ceremony = { purpose: 'second_factor', ownerDigest: owner.digest } as const
    return passkeyQuestion(ceremony, { passkeys: state.passkeys, verifyUser: false }, deps())
  }

  return {
    ...shared,
    deps,
    tryLogin,
    pendingLogin,
    addPasskey,
    addApp,
    prove,
    passkeyOptions,
    /** Adds a user and logs them in. */
    async userWithSession(changes: { adminRole?: AdminRole } = {}) {
      const user = await shared.addUser(changes)
      const { secret } = await shared.browserOf(user.username)
      return { ...user, secret }
    },
    /** Why the logins of a user failed, oldest first; empty for one that succeeded. */
    async failuresOf(userId: string) {
      const rows = await shared.query(
        'select method, failure from identity.login_attempts where user_id = $1 order by at, login_id',
        [userId],
      )
      return rows.map(({ method, failure }) => `${method} ${failure}`.trim())
    },
    /** Makes the last login of a session so many seconds older. */
    async age(secret: string, seconds: number) {
      const rows = await shared.query(
        `update identity.sessions set authenticated_at = authenticated_at - make_interval(secs => $2)
         where secret_digest = $1 returning id`,
        [digestOf(secret), seconds],
      )
      expect(rows).toHaveLength(1)
    },
    /** A user with an authenticator app, whose sessions have ended; and the app's next code. */
    async userWithApp() {
      const user = await shared.addUser()
      const { secret } = await shared.browserOf(user.username)
      const { app, recoveryCodes, enrolledAt } = await addApp(secret)
      await shared.query('delete from identity.sessions where user_id = $1', [user.id])
      // The enrolment used up the code of that step.
      const later = enrolledAt + stepSeconds * 1000
      const code = app.code(later)
      return { ...user, app, recoveryCodes, later, code, wrongCode: code === '000000' ? '111111' : '000000' }
    },
    randomSecret: () => randomBytes(32).toString('base64url'),
  }
}

/** The factor as a user types it. */
export const appCode = (text: string): GivenFactor => ({ kind: 'totp', text })
export const recoveryCode = (text: string): GivenFactor => ({ kind: 'recovery_code', text })
