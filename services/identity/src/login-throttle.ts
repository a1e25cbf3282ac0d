import { networkOf } from '@gatehouse/kit/network'
import { cutBeyond, storable } from './text.ts'
import { longestUsername } from './user.ts'

/** Failed logins that a window may hold: of a user name from an IP address, of an IP address, of a user name. */
export const failureLimits = { userAndNetwork: 10, network: 50, user: 200 }

/** How long a window lasts from its first failure, in seconds. */
export const windowSeconds = 900

/** Who tries to log in, as whom. */
export type LoginSource = {
  username: string
  ipAddress: string
  /** Whether this browser has logged in as this user before. */
  knownBrowser: boolean
}

/** What an attempt is counted by. The store makes the name lower case, as it does to find the user. */
export type FailureKey = { username: string; network: string }

/** The most failures, one number a counter, that let another attempt through. */
export type FailureLimits = typeof failureLimits

/** Where failed logins are counted, for all replicas together. */
export type LoginFailureStore<Attempt = unknown> = {
  /**
   * Counts an attempt before it is made, so that of parallel ones no more get through than may fail. One that is
   * refused leaves every counter and every window as it was.
   * @returns seconds until the window ends where too many have failed; `busy` where those under way might be too many
   */
  count(
    key: FailureKey,
    limits: FailureLimits,
  ): Promise<{ attempt: Attempt } | { retryAfter: number } | 'busy'>
  /** Settles an attempt that was wrong. */
  fail(attempt: Attempt, windowSeconds: number): Promise<void>
  /** Settles an attempt that was not made. */
  takeBack(attempt: Attempt): Promise<void>
  /** Settles an attempt that was right, and forgets the failures of this user name from this network. */
  forgive(attempt: Attempt): Promise<void>
}

/** What came of an attempt to show a password. */
export type Guarded<Value> =
  | { outcome: 'right'; value: Value }
  | { outcome: 'wrong' }
  /** The password was not looked at; seconds until it will be. */
  | { outcome: 'throttled'; retryAfter: number }

/** What guarding needs. */
export type GuardDeps = {
  failures: LoginFailureStore
  /** Told of each wrong password. */
  authenticationFailed(): void
  /** Resolves a moment later. */
  pause(): Promise<void>
}

/** How often an attempt waits a moment for those under way, before it is told to come back. */
const mostPauses = 20

/**
 * Looks at a password unless too many were wrong (decisions: 10 a user name and IP address, 50 an IP address; after 200
 * a user name only browsers that know the user go on, so that nobody can lock the user out).
 * @param check looks at the password: what it was right for, or undefined
 */
export async function guard<Value>(
  source: LoginSource,
  check: () => Promise<Value | undefined>,
  deps: GuardDeps,
): Promise<Guarded<Value>> {
  const { failures, authenticationFailed } = deps
  const counted = await countAttempt(source, deps)
  if ('retryAfter' in counted) return { outcome: 'throttled', retryAfter: counted.retryAfter }
  let value: Value | undefined
  try {
    value = await check()
  } catch (error) {
    // Nobody learned whether the password was right. What hindered the check may hinder this too.
    await failures.takeBack(counted.attempt).catch(() => undefined)
    throw error
  }
  if (value === undefined) {
    await failures.fail(counted.attempt, windowSeconds)
    authenticationFailed()
    return { outcome: 'wrong' }
  }
  await failures.forgive(counted.attempt)
  return { outcome: 'right', value }
}

async function countAttempt(
  { username, ipAddress, knownBrowser }: LoginSource,
  { failures, pause }: GuardDeps,
) {
  const key = {
    username: storable(cutBeyond(username, longestUsername)),
    network: storable(networkOf(ipAddress)),
  }
  const limits = knownBrowser ? { ...failureLimits, user: Number.POSITIVE_INFINITY } : failureLimits
  for (let pauses = 0; ; pauses += 1) {
    const counted = await failures.count(key, limits)
    if (counted !== 'busy') return counted
    // Others of this user or address are being looked at. If they are right, as many logins at once are, so may this be.
    if (pauses === mostPauses) return { retryAfter: 1 }
    await pause()
  }
}
