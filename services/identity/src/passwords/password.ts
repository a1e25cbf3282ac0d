import { availableParallelism } from 'node:os'
import { passwordLength } from '@gatehouse/proto/people/passwords'
import { hash } from '@node-rs/argon2'
import { type LimitOptions, limit } from '../basics/limit.ts'
import { cutBeyond } from '../basics/text.ts'
import type { ReadHash } from './hashes/hash-format.ts'
import { readHash } from './hashes/table.ts'

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
 * @param passwordHash undefined when there is no such user: the same work is done, so that the time reveals nothing. Only an
 *   imported hash takes another time, until its user logs in and it is renewed
 * @throws Error when the hash is unreadable
 */
export async function isPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password')
  const stored = storedHash(passwordHash ?? (await nobodysHash))
  const right = await stored.matches(cutBeyond(password, passwordLength.most))
  return right && passwordHash !== undefined
}

function storedHash(text: string): ReadHash {
  const read = readHash(text)
  if ('fault' in read) throw new Error(`the stored hash of a password ${read.fault}`)
  return read
}

let nobodysHash: Promise<string> | undefined

/** Whether a hash has another cost or algorithm than the current one, and should be renewed at the next login. */
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
  // These wait for each other before they wait for the rest, so that their memory does not add up, and whoever tries many of them
  // does not keep everybody else from logging in.
  const oneCostly = limit({ ...options, maxRunning: 1 })
  // Computed now, or the first unknown name would take twice as long as a known one.
  nobodysHash ??= hashPassword('nobody has this password')
  return {
    hash: (password) => limited(() => hashPassword(password)),
    matches(passwordHash, password) {
      const compare = () => limited(() => isPassword(passwordHash, password))
      return passwordHash !== undefined && isCostly(passwordHash) ? oneCostly(compare) : compare()
    },
  }
}

/** Whether comparing with a hash takes more memory or time than some of ours together. Only imported hashes do. */
function isCostly(passwordHash: string): boolean {
  if (!isOutdated(passwordHash)) return false
  const read = readHash(passwordHash)
  return 'memory' in read && (read.slow || read.memory > 2 * cost.memoryCost)
}

function suitableLimit(): LimitOptions {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4
  return { maxRunning: Math.max(1, Math.min(threads - 1, availableParallelism())), maxWaiting: 100 }
}
