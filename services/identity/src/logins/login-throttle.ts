import { Refusal } from '@gatehouse/kit/errors'
import { networkOf } from '@gatehouse/kit/network'
import { isCallerGone } from '@gatehouse/kit/rpc/current-call'
import { storable } from '@gatehouse/kit/storable'
import { cutBeyond } from '../basics/text.ts'
import { longestUsername } from '../users/user.ts'

/** The failed logins allowed in a window: for a user name from an IP address, for an IP address, for a user name. */
export const failureLimits = { userAndNetwork: 10, network: 50, user: 200 }

/** A window's length from its first failure, in seconds. */
export const windowSeconds = 900

/** The source of a login attempt, and the name that it gives. */
export type LoginSource = {
  username: string
  ipAddress: string
  /** Whether this browser has logged in as this user before. */
  knownBrowser: boolean
}

/** The key by which attempts are counted. The store makes the name lower case, as it does to find the user. */
export type FailureKey = { username: string; network: string }

/** The limit of each counter. */
export type FailureLimits = typeof failureLimits

/** Counts failed logins, for all replicas together. */
export type LoginFailureStore<Attempt = unknown> = {
  /**
   * Counts an attempt before it is made, so that parallel attempts cannot exceed the limit. A refused attempt leaves every
   * counter and every window as it was.
   * @returns the attempt; the seconds until the window ends when too many failed; `busy` when the attempts under way could
   *   exceed the limit
   */
  count(
    key: FailureKey,
    limits: FailureLimits,
  ): Promise<{ attempt: Attempt } | { retryAfter: number } | 'busy'>
  /** Settles an attempt with a wrong password. */
  fail(attempt: Attempt, windowSeconds: number): Promise<void>
  /** Settles an attempt that was not made. */
  takeBack(attempt: Attempt): Promise<void>
  /** Settles an attempt with the right password, and clears the failures of this user name from this network. */
  forgive(attempt: Attempt): Promise<void>
}

/** The result of a guarded password check. */
export type Guarded<Value> =
  | { outcome: 'right'; value: Value }
  | { outcome: 'wrong' }
  /** The password was not checked; `retryAfter` is in seconds. */
  | { outcome: 'throttled'; retryAfter: number }

/** The needs of guarding. */
export type GuardDeps = {
  failures: LoginFailureStore
  /** Called for each wrong password. */
  authenticationFailed(): void
  /** Resolves after a moment. */
  pause(): Promise<void>
}

/** How often an attempt waits for those under way: for three or four seconds, since the caller waits for five. */
const mostPauses = 35

/**
 * Checks a password unless too many attempts failed: 10 for a user name from an IP address, or 50 for an IP address. After
 * 200 failures for a user name only browsers in which the user has logged in before may continue, so that nobody can lock
 * the user out.
 * @param check checks the password; resolves to undefined when it is wrong
 * @throws Refusal temporarily_unavailable when the attempts under way do not end in time: their passwords may all be right, so nobody is
 *   told of failures
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
    // The caller did not learn whether the password was right, so this is no failure. takeBack may fail for the same reason.
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
    // Other attempts with this name or address are under way. If their passwords are right, this one may be checked too.
    if (pauses === mostPauses || isCallerGone())
      throw new Refusal('temporarily_unavailable', undefined, {
        retryAfter: 1,
        detail: 'too many logins with one name or from one address are under way',
      })
    await pause()
  }
}
