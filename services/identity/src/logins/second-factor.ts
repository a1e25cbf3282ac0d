import { provedTwoFactors } from '@gatehouse/proto/claims'
import type { PublicUser } from '../users/user.ts'

/** For whom logging in takes two factors: users who have a second one, administrators too, or everybody. */
export const factorPolicies = ['optional', 'administrators', 'required'] as const

/** OAUTH2_MFA. */
export type FactorPolicy = (typeof factorPolicies)[number]

/** The means of proving a second factor. */
export type FactorKind = 'passkey' | 'totp' | 'recovery_code'

/** The method of a login that proved several factors (RFC 8176). */
const severalFactors = 'mfa'

/**
 * The methods of a login once the second factor is proven too.
 * @param proven the methods of the second factor
 */
export function withSecondFactor(methods: readonly string[], proven: readonly string[]): readonly string[] {
  return [...new Set([...methods, ...proven, severalFactors])]
}

/** A recovery code counts as a one-time password, as the code of an app does. */
export const oneTimePassword: readonly string[] = ['otp']

/** How long after a login its user may change their factors, in seconds. */
export const freshSeconds = 300

/** The secret's digest of who proves or changes factors: of a session, or of a login that waits for a second factor. */
export type FactorOwner =
  | { kind: 'pending'; digest: Buffer }
  | {
      kind: 'session'
      digest: Buffer
      /** The expiry that the secret carries, in seconds since the Unix epoch. A new secret of the same session carries the same. */
      expiresAt: number | undefined
    }

/** The state of an owner. */
export type OwnerState = {
  user: PublicUser
  /** The methods that were proven so far (RFC 8176). */
  methods: readonly string[]
  /** How the login began, for the login history: password, passkey or the name of a social provider. */
  loginMethod: string
  /** undefined when the login is for no client. */
  clientId: string | undefined
  /** Whether the last login was at most `freshSeconds` ago. */
  fresh: boolean
  passkeys: readonly OwnedPasskey[]
  totp: boolean
  recoveryCodesLeft: number
}

/** A user's passkey, as a browser must know it to find it. */
export type OwnedPasskey = { credentialId: Buffer; transports: readonly string[] }

/** Finds owners. */
export type FactorOwnerStore = {
  /**
   * @returns undefined when the session or the login is unknown, has ended, or its user was disabled or changed their
   *   password meanwhile
   */
  find(owner: FactorOwner): Promise<OwnerState | undefined>
}

/** Whether a user has a second factor. Recovery codes are none of their own. */
export function hasFactor({ passkeys, totp }: Pick<OwnerState, 'passkeys' | 'totp'>): boolean {
  return totp || passkeys.length > 0
}

/** Whether an owner must prove a second factor, and can. */
export function mustProve(owner: OwnerState): boolean {
  return hasFactor(owner) && !provedTwoFactors(owner.methods)
}
