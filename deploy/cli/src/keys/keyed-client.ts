import { type Command, Option } from 'commander'
import { madeKeyOptions } from './client-keys.ts'
import { makeKey, type WantedKey } from './made-key.ts'
import { type PublicJwk, readPublicKeyFile } from './public-key-file.ts'

type KeyOptions = Omit<WantedKey, 'path'> & { key?: string; makeKey?: string }

/** The metadata of a client that signs with a key. */
type Keyed = { token_endpoint_auth_method?: 'private_key_jwt'; jwks?: { keys: PublicJwk[] } }

/** Adds the options of a new client that signs assertions instead of sending a secret. */
export function addKeyOptions(create: Command): void {
  create.addOption(
    new Option('--key <file>', 'a client that signs, with the public key in this file').conflicts([
      'makeKey',
      'public',
    ]),
  )
  create.addOption(
    new Option(
      '--make-key <file>',
      'the same with a new key, whose private part is written to this file',
    ).conflicts(['public']),
  )
  for (const option of madeKeyOptions()) create.addOption(option)
}

/** Gives the metadata for the key that the options name, if any. @throws CommandFailure for a file that cannot be read or made */
export async function withKeyOf<Result>(
  { key, makeKey: path, ...wanted }: KeyOptions,
  create: (keyed: Keyed) => Promise<Result>,
): Promise<Result> {
  const keyed = (jwk: PublicJwk) =>
    create({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } })
  if (path !== undefined) return makeKey({ path, ...wanted }, keyed)
  return key === undefined ? create({}) : keyed(await readPublicKeyFile(key))
}
