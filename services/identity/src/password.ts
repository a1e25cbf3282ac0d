import { availableParallelism } from 'node:os'
import { Refusal } from '@gatehouse/kit/errors'
import { type PasswordFault, passwordFaults, passwordLength } from '@gatehouse/proto/passwords'
import { hash, verify } from '@node-rs/argon2'
import { dictionary } from '@zxcvbn-ts/language-common'
import { type LimitOptions, limit } from './limit.ts'
import { cutBeyond, hasLength } from './text.ts'

/**
 * The common passwords that are long enough for a new one, in lower case.
 */
const common: ReadonlySet<string> = new Set(
  dictionary['passwords-common']
    .map((password) => String(password).toLowerCase())
    .filter((password) => password.length >= passwordLength.least),
)

/**
 * What is wrong with a new password.
 * @param names the user's names and addresses, none of which may be the password
 * @returns undefined for a good one
 */
export function passwordFault(
  password: string,
  names: readonly (string | undefined)[],
): PasswordFault | undefined {
  const { least, most } = passwordLength
  if (hasLength(password, 0, least - 1)) return 'too_short'
  if (!hasLength(password, least, most)) return 'too_long'
  const lower = password.toLowerCase()
  if (common.has(lower)) return 'too_common'
  return names.some((name) => name?.toLowerCase() === lower) ? 'like_name' : undefined
}

/**
 * Checks a new password.
 * @param field the name of the parameter, with which the message begins
 * @throws Refusal invalid_request
 */
export function checkNewPassword(
  field: string,
  password: string,
  names: readonly (string | undefined)[],
): void {
  const fault = passwordFault(password, names)
  if (fault) throw new Refusal('invalid_request', `${field} ${passwordFaults[fault]}.`)
}

/**
 * OWASP's advice for argon2id: 19 MiB of memory, 2 passes, 1 lane. One hash takes about 20 ms of a core, on libuv's
 * threads, not on the event loop. The library's default algorithm is argon2id.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** The beginning of a hash of the current cost (the PHC string format; 19 is argon2's version 1.3). */
const currentPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`

/** Hashes a password with argon2id. The result contains the salt and the cost. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/**
 * Whether a password matches a hash.
 * @param passwordHash undefined when there is no such user: the same work is done, so that the time reveals nothing
 */
export async function isPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password')
  const right = await verify(passwordHash ?? (await nobodysHash), cutBeyond(password, passwordLength.most))
  return right && passwordHash !== undefined
}

let nobodysHash: Promise<string> | undefined

/** Whether a hash has another cost than the current one, and should be renewed at the next login. */
export function isOutdated(passwordHash: string): boolean {
  return !passwordHash.startsWith(currentPrefix)
}

/** Hashes and compares passwords. Both reject with a Refusal temporarily_unavailable when too many wait. */
export type PasswordHashing = { hash: typeof hashPassword; matches: typeof isPassword }

/**
 * Limits how many passwords are hashed and compared at once. A hash occupies one of libuv's threads until it is done, and
 * those also resolve host names and read files: with a hundred logins at once, a new database connection would wait for
 * all of them. So one thread stays free, and no more hashes run than there are cores, which finishes each sooner.
 * @param options the default suits the machine; a queue of a hundred is about two seconds of work
 */
export function createPasswordHashing(options: LimitOptions = suitableLimit()): PasswordHashing {
  const limited = limit(options)
  // Computed now, or the first unknown name would take twice as long as a known one.
  nobodysHash ??= hashPassword('nobody has this password')
  return {
    hash: (password) => limited(() => hashPassword(password)),
    matches: (passwordHash, password) => limited(() => isPassword(passwordHash, password)),
  }
}

function suitableLimit(): LimitOptions {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4
  return { maxRunning: Math.max(1, Math.min(threads - 1, availableParallelism())), maxWaiting: 100 }
}
