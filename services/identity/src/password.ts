import { hash, verify } from '@node-rs/argon2'

/**
 * OWASP's advice for argon2id: 19 MiB of memory, 2 passes, 1 lane. One hash takes about 20 ms of a core, on libuv's
 * threads, not on the event loop. The library's default algorithm is argon2id.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

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
  const right = await verify(passwordHash ?? (await nobodysHash), password)
  return right && passwordHash !== undefined
}

let nobodysHash: Promise<string> | undefined
