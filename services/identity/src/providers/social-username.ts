import { longestUsername, usernameFault } from '../users/user.ts'

const reserved = new Set(['admin', 'administrator', 'root', 'system', 'support', 'security', 'gatehouse'])

/** Whether a name looks as if it belongs to staff or to the system. Only administrators give such names. */
export function looksLikeStaff(username: string): boolean {
  return reserved.has(username.toLowerCase())
}

/** In characters; leaves room for a suffix that makes a name unique. */
const longest = 60

/**
 * User names for a person's first login through a provider, to be tried one after the other until one is free. The first is
 * made of their name at the provider. That name may be anything, so only a-z, 0-9 and separators of it are kept: no user name
 * imitates another in a different script, or looks like an e-mail address.
 * @param name the person's name at the provider
 * @param provider the base of the user name when nothing of the name is left
 * @param randomBytes makes the last names unique
 */
export function* usernamesFor(
  name: string,
  provider: string,
  randomBytes: (count: number) => Buffer,
): Generator<string> {
  const plain = plainName(name)
  const usable = plain !== '' && usernameFault(plain) === undefined && !looksLikeStaff(plain)
  if (usable) yield plain
  const beginning = usable ? plain : `${provider}-user`
  for (let number = 2; number < 5; number += 1) yield `${beginning}-${number}`
  for (let time = 0; time < 5; time += 1) yield `${beginning}-${randomBytes(4).toString('hex')}`
}

function plainName(name: string): string {
  return name
    .slice(0, longestUsername)
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '.')
    .slice(0, longest)
    .replace(/^[._-]+|[._-]+$/g, '')
}
