/**
 * A secret of the server. While it is being changed there are two: the current one signs, encrypts and derives, and the next one only
 * verifies and decrypts.
 */
export type Keyring = string | [current: string, next: string]

/** Derives a key from each secret of a keyring, that of the current one first. */
export function keysOf<Key>(
  keyring: Keyring,
  derive: (secret: string) => Key,
): [current: Key, ...next: Key[]] {
  if (typeof keyring === 'string') return [derive(keyring)]
  const [current, next] = keyring
  return [derive(current), derive(next)]
}

/** The name of the variable with the next value of a secret one. */
export function nextVariableOf<Name extends string>(name: Name): `${Name}_NEXT` {
  return `${name}_NEXT`
}

/** The keyring of the values of a secret variable and of its NAME_NEXT. */
export function keyringOf(current: string, next: string | undefined): Keyring {
  return next === undefined ? current : [current, next]
}
