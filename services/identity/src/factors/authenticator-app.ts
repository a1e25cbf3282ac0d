import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { RandomBytes } from '../basics/secret.ts'
import type { Guarded } from '../logins/login-throttle.ts'
import { appCodeLimits, type CodeCounter, limitCodes } from '../logins/second-factor-limit.ts'
import type { SeedEncryption } from './seed-encryption.ts'
import { seedLength, stepOfCode } from './totp.ts'

/** How long setting up an app may take, in seconds. */
export const enrolmentLifetime = 900

/** Stores authenticator apps. Seeds are encrypted. */
export type AuthenticatorAppStore = {
  /** The seed of a user's app; undefined when they have none. */
  find(userId: string): Promise<Buffer | undefined>
  /**
   * Uses up a time step.
   * @returns false when it or a later one was used before, or the app is another one by now
   */
  useStep(userId: string, seed: Buffer, step: number): Promise<boolean>
  /**
   * Begins an enrolment, which replaces another one of the user. One that the same owner began goes on.
   * @param enrolment.lifetime in seconds
   * @returns the seed of the enrolment
   */
  begin(enrolment: { userId: string; ownerDigest: Buffer; seed: Buffer; lifetime: number }): Promise<Buffer>
  /** The seed of an enrolment that this owner began; undefined when there is none. */
  findEnrolment(userId: string, ownerDigest: Buffer): Promise<Buffer | undefined>
}

/** The needs of authenticator apps. */
export type AuthenticatorAppDeps = {
  apps: AuthenticatorAppStore
  codes: CodeCounter
  /** undefined without OAUTH2_FACTOR_KEY. Then apps are not offered, and nobody can prove theirs. */
  seeds: SeedEncryption | undefined
  randomBytes: RandomBytes
  /** Milliseconds since the Unix epoch. */
  now(): number
  log: Logger
}

/** Proves a user's app. Each code is accepted once (RFC 6238 section 5.2). @returns the time step of the code */
export function proveApp(userId: string, code: string, deps: AuthenticatorAppDeps): Promise<Guarded<number>> {
  const check = async (before?: Buffer): Promise<number | undefined> => {
    const seed = await deps.apps.find(userId)
    if (seed === undefined || before?.equals(seed)) return undefined
    const step = stepOf(seed, code, userId, deps)
    if (step === undefined || (await deps.apps.useStep(userId, seed, step))) return step
    // The seed may have been encrypted with another key meanwhile.
    return before ? undefined : check(seed)
  }
  return limitCodes(userId, appCodeLimits, () => check(), deps.codes)
}

/**
 * Begins setting up an app, or goes on with what the same owner began.
 * @param owner.digest the digest of the secret of the session or the pending login
 * @returns the seed, for the app; undefined when apps are not offered
 */
export async function beginAppEnrolment(
  owner: { userId: string; digest: Buffer },
  { apps, seeds, randomBytes }: Pick<AuthenticatorAppDeps, 'apps' | 'seeds' | 'randomBytes'>,
): Promise<Buffer | undefined> {
  if (seeds === undefined) return undefined
  const { userId, digest: ownerDigest } = owner
  const fresh = seeds.encrypt(randomBytes(seedLength), userId)
  const seed = await apps.begin({ userId, ownerDigest, seed: fresh, lifetime: enrolmentLifetime })
  return seeds.decrypt(seed, userId)
}

/** An app whose first code was right: its encrypted seed as the enrolment has it and as it is kept, and the time step of that code. */
export type ConfirmedApp = { seed: Buffer; kept: Buffer; step: number }

/**
 * Checks the code that ends the enrolment of an app.
 * @returns 'no enrolment' when the owner began none, or it has expired
 */
export async function confirmApp(
  owner: { userId: string; digest: Buffer },
  code: string,
  deps: AuthenticatorAppDeps,
): Promise<Guarded<ConfirmedApp> | { outcome: 'no enrolment' }> {
  const { userId, digest } = owner
  const seed = await deps.apps.findEnrolment(userId, digest)
  if (seed === undefined) return { outcome: 'no enrolment' }
  const check = async () => {
    const step = stepOf(seed, code, userId, deps)
    return step === undefined ? undefined : { seed, kept: deps.seeds?.renewed(seed, userId) ?? seed, step }
  }
  return limitCodes(userId, appCodeLimits, check, deps.codes)
}

function stepOf(
  encrypted: Buffer,
  code: string,
  userId: string,
  { seeds, now, log }: AuthenticatorAppDeps,
): number | undefined {
  try {
    return seeds && stepOfCode(seeds.decrypt(encrypted, userId), code, now())
  } catch (error) {
    log.error(
      { err: error, user_id: userId },
      'the seed of an authenticator app cannot be decrypted: this process has another OAUTH2_FACTOR_KEY than the one that stored it',
    )
    return undefined
  }
}
