import type { Guarded } from './login-throttle.ts'

/** How many codes a user may get wrong in a window that begins with the first one. */
export type CodeLimit = {
  kind: string
  most: number
  windowSeconds: number
  /** Whether the right code clears the count. Otherwise somebody's guesses would begin anew with each login of the user. */
  clears: boolean
}

/**
 * The limits of an app's codes. Somebody who has the password and tries all that they may guesses one of the three valid codes in
 * a year with a probability of five per cent.
 */
export const appCodeLimits: readonly CodeLimit[] = [
  { kind: 'code', most: 10, windowSeconds: 900, clears: true },
  { kind: 'code_day', most: 50, windowSeconds: 86_400, clears: false },
]

/** Recovery codes have limits of their own, so that wrong codes of the app do not lock the user out for a day. */
export const recoveryCodeLimits: readonly CodeLimit[] = [
  { kind: 'recovery_code', most: 10, windowSeconds: 900, clears: true },
]

/** Counts codes, for all replicas together. */
export type CodeCounter = {
  /**
   * Counts a code before it is checked, so that parallel ones cannot exceed a limit.
   * @returns 'counted', or the seconds until the code may be tried
   */
  count(userId: string, limits: readonly CodeLimit[]): Promise<'counted' | { retryAfter: number }>
  /** The code was right: counts it no longer, and forgets the wrong ones where the limit says so. */
  forgive(userId: string, limits: readonly CodeLimit[]): Promise<void>
}

/**
 * Checks a code of a user unless too many were wrong.
 * @param check resolves to undefined when the code is wrong
 */
export async function limitCodes<Value>(
  userId: string,
  limits: readonly CodeLimit[],
  check: () => Promise<Value | undefined>,
  codes: CodeCounter,
): Promise<Guarded<Value>> {
  const counted = await codes.count(userId, limits)
  if (counted !== 'counted') return { outcome: 'throttled', ...counted }
  const value = await check()
  if (value === undefined) return { outcome: 'wrong' }
  await codes.forgive(userId, limits)
  return { outcome: 'right', value }
}
