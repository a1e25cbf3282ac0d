import type { Emit } from '@gatehouse/kit/events/emission'
import { networkOf } from '@gatehouse/kit/network'
import { storable } from '@gatehouse/kit/storable'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import { cutBeyond } from '../basics/text.ts'
import { isOutdated, type PasswordHashing } from '../passwords/password.ts'
import { longestUsername, type User, type UserStore } from '../users/user.ts'
import { type LoginOrigin, type NewLoginAttempt, type RecordingDeps, recordLogin } from './login-history.ts'
import { type GuardDeps, type Guarded, guard, type LoginSource } from './login-throttle.ts'

/** The needs of authenticating a user. */
export type AuthenticationDeps = GuardDeps &
  RecordingDeps & {
    users: Pick<UserStore, 'findByName' | 'rehash'>
    hashing: PasswordHashing
    emit: Emit
    log: Logger
  }

/** A user whose password was correct, with the hash that is stored now. */
export type AuthenticatedUser = User & { passwordHash: string }

/** A user name and a password, and where they come from. */
export type PasswordAttempt = LoginSource & LoginOrigin & { password: string }

/**
 * Authenticates a user for the password grant (RFC 6749 section 4.3) and records the attempt. The grant cannot ask for a second
 * factor, so a user who needs one is refused exactly as with a wrong password.
 * @throws the errors of checkPassword
 */
export async function authenticateUser(
  attempt: PasswordAttempt,
  deps: AuthenticationDeps,
): Promise<Guarded<AuthenticatedUser>> {
  const method = 'password_grant'
  const result = await checkPassword(attempt, method, deps)
  if (result.outcome === 'right') {
    await recordLogin(attempt, { userId: result.value.id, method, failure: undefined }, deps)
    deps.emit('user_authenticated', { userId: result.value.id, metadata: byPassword })
  }
  return result
}

/**
 * Finds the user with this name and this password. A wrong password, an unknown user, a disabled user and a user without a
 * password all give the same answer after the same work, and all count as a failure. This function records a failed
 * attempt; the caller records and emits a successful one, because only the caller knows when the login is complete.
 * @param method the method in the login history
 * @throws Refusal temporarily_unavailable when the database is away or too many passwords wait to be checked
 */
export async function checkPassword(
  attempt: PasswordAttempt,
  method: 'password' | 'password_grant',
  deps: AuthenticationDeps,
): Promise<Guarded<AuthenticatedUser>> {
  const name = storable(cutBeyond(attempt.username, longestUsername))
  const refused: Pick<NewLoginAttempt, 'userId' | 'failure'> = { userId: undefined, failure: undefined }
  const check = async () => {
    const user = await deps.users.findByName(name)
    const right = await deps.hashing.matches(user?.passwordHash, attempt.password)
    const cannotAsk = method === 'password_grant' && user?.secondFactorDemanded === true
    if (!right || user?.passwordHash === undefined || user.disabled || cannotAsk) {
      // Never log the name: people type their password into the wrong field.
      const { code, detail } = reasonOf(user, right)
      deps.log.info({ user_id: user?.id, detail }, 'authentication failed')
      deps.emit('user_authentication_failed', { userId: user?.id, error: code, metadata: byPassword })
      refused.userId = user?.id
      refused.failure = code
      return undefined
    }
    return { ...user, passwordHash: await renewed(user.id, user.passwordHash, attempt.password, deps) }
  }
  const result = await guard(attempt, check, deps)
  if (result.outcome === 'throttled') {
    await recordThrottled({ ...attempt, name, method }, deps)
    deps.emit('user_authentication_failed', { error: 'too_many_failures', metadata: byPassword })
  } else if (result.outcome === 'wrong') await recordLogin(attempt, { ...refused, method }, deps)
  return result
}

/**
 * Records an attempt whose password was not checked. An attack makes thousands of them, so each replica records at most one
 * a minute for a name and one for a network. It keeps track of them in memory.
 */
async function recordThrottled(
  attempt: PasswordAttempt & { name: string; method: string },
  deps: Pick<AuthenticationDeps, 'users' | 'loginHistory' | 'mayRecord'>,
): Promise<void> {
  const { name, ipAddress, method } = attempt
  const keys = [`throttled name ${name.toLowerCase()}`, `throttled network ${networkOf(ipAddress)}`]
  if (!deps.mayRecord(keys)) return
  const user = await deps.users.findByName(name)
  await recordLogin(attempt, { userId: user?.id, method, failure: 'too_many_failures' }, deps)
}

/** How the user was authenticated, in the events' metadata. */
const byPassword = { method: 'password' }

function reasonOf(user: User | undefined, right: boolean): { code: string; detail: string } {
  if (user === undefined) return { code: 'unknown_user', detail: 'no such user' }
  if (!right) return { code: 'wrong_password', detail: 'wrong password' }
  return user.disabled
    ? { code: 'user_disabled', detail: 'the user is disabled' }
    : {
        code: 'second_factor_required',
        detail: 'the user needs a second factor, for which this grant cannot ask',
      }
}

/**
 * Hashes the password again when its hash has another cost than the current one: only a login has the password.
 * @returns the hash that is stored now, as far as this login knows
 */
async function renewed(
  id: string,
  checkedHash: string,
  password: string,
  { users, hashing, log }: AuthenticationDeps,
): Promise<string> {
  if (!isOutdated(checkedHash)) return checkedHash
  try {
    const newHash = await hashing.hash(password)
    return (await users.rehash({ id, checkedHash, newHash })) ? newHash : checkedHash
  } catch (error) {
    log.warn({ err: error }, 'a password could not be hashed at the new cost; the next login tries again')
    return checkedHash
  }
}

/** The needs of creating the first administrator. */
export type SeedingDeps = {
  users: Pick<UserStore, 'findByName' | 'add'>
  hashing: Pick<PasswordHashing, 'hash'>
  randomUuid(): string
}

/**
 * Creates the first administrator, unless a user of that name exists: a changed password stays changed.
 * @returns whether the administrator was created
 */
export async function seedAdministrator(
  { username, password }: { username: string; password: string },
  { users, hashing, randomUuid }: SeedingDeps,
): Promise<boolean> {
  if (await users.findByName(username)) return false
  return users.add({
    id: randomUuid(),
    username,
    passwordHash: await hashing.hash(password),
    adminRole: 'owner',
  })
}
