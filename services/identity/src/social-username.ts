import { longestUsername, usernameFault } from './user.ts'

/** Names that others would take for more than a user. */
const reserved = new Set(['admin', 'administrator', 'root', 'system', 'support', 'security', 'gatehouse'])

/** In characters; leaves room for what makes a name different. */
const longest = 60

/**
 * User names for somebody who comes from a provider for the first time, to be tried one after the other until one is
 * free. The first is made of what they call themselves there. Since that may be anything, of that only plain letters
 * and digits are kept: no name looks like another's in a foreign script, or like an e-mail address.
 * @param name as they call themselves
 * @param provider what they are called where nothing of the name is left
 * @param randomBytes makes the last ones different
 */
export function* usernamesFor(
  name: string,
  provider: string,
  randomBytes: (count: number) => Buffer,
): Generator<string> {
  const plain = plainName(name)
  const usable = plain !== '' && usernameFault(plain) === undefined && !reserved.has(plain)
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
