import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { type LimitOptions, limit } from './limit.ts'
import { cutBeyond, hasLength } from './text.ts'

/** How long passwords are, in characters. */
const shortest = 8
const longest = 1_024

/** What a new password must be, as the end of a sentence. */
export const passwordRule = `must have ${shortest} to ${longest} characters`

/** Whether a new password follows the rule. */
export function isAcceptablePassword(password: string): boolean {
  return hasLength(password, shortest, longest)
}

/**
 * OWASP's advice for argon2id: 19 MiB of memory, 2 passes, 1 lane. One hash takes about 20 ms of a core, on libuv's
 * threads, not on the event loop. The library's default algorithm is argon2id.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** What a hash of today's cost begins with (the PHC string format; 19 is argon2's version 1.3). */
const currentPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`

/** The argon2id hash of a password, with its salt and its cost in it. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

/**
 * Whether a password is the one that was hashed.
 * @param passwordHash undefined where there is no such user: the same work is done, so that the time tells nothing
 */
export async function isPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password')
  const right = await verify(passwordHash ?? (await nobodysHash), cutBeyond(password, longest))
  return right && passwordHash !== undefined
}

let nobodysHash: Promise<string> | undefined

/** Whether a hash was made at another cost than today's, and should be made anew when the password is at hand. */
export function isOutdated(passwordHash: string): boolean {
  return !passwordHash.startsWith(currentPrefix)
}

/** Hashes and compares passwords. Both reject with a Refusal temporarily_unavailable when too many wait. */
export type PasswordHashing = { hash: typeof hashPassword; matches: typeof isPassword }

/**
 * Hashes and compares a few passwords at once. A hash keeps one of libuv's threads for its whole time, and those
 * resolve host names and read files too: a hundred logins at once would keep a database connection waiting behind
 * all of them. One thread stays free, and no more hash than there are cores, so each is done sooner.
 * @param options by default what suits the machine; a hundred waiting are about two seconds
 */
export function createPasswordHashing(options: LimitOptions = suitableLimit()): PasswordHashing {
  const limited = limit(options)
  // Now, or the first unknown name would take twice as long as a known one.
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
