import { type Command, Option } from 'commander'
import { type Api, dataOf } from '../api.ts'
import { adderTo, type CommandDeps } from '../command.ts'
import { addList, type List } from '../list.ts'
import { fields, type Output } from '../output.ts'
import { keyFormats, madeAlgorithms, makeKey, type WantedKey } from './made-key.ts'
import { type PublicJwk, readPublicKeyFile } from './public-key-file.ts'

const path = '/admin/api/clients/{client_id}/keys'

const list: List<typeof path> = {
  path,
  description: 'list the public keys of a client',
  options: {},
  of: (id) => ({ client_id: id }),
  columns: {
    thumbprint: 'thumbprint',
    kid: 'kid',
    type: 'kty',
    algorithms: 'algorithms',
    'last used': 'last_used_at',
  },
  nothing: 'No keys.',
}

type Made = Omit<WantedKey, 'path'> & { out: string }

/** gatehouse clients keys … */
export function clientKeyCommands(clients: Command, deps: CommandDeps): void {
  const keys = clients.command('keys').description('the public keys of a client that signs assertions')
  const add = adderTo(keys, deps)
  addList(keys, 'list <id>', list, deps)

  add(
    'add <id> <file>',
    'add the public key in a file: PEM, a certificate or a JSON Web Key; the others stay valid',
    async (api, id: string, file: string, { kid }: { kid?: string }) =>
      added(api, id, { ...(await readPublicKeyFile(file)), ...(kid && { kid }) }),
  ).option('--kid <kid>', 'the name of the key in the header of assertions')

  const make = add(
    'make <id>',
    'make a key: write the private key to a new file that only you can read, and add the public one',
    async (api, id: string, { out, ...wanted }: Made) =>
      makeKey({ path: out, ...wanted }, (jwk) => added(api, id, jwk)),
  ).requiredOption('--out <file>', 'the file for the private key')
  for (const option of madeKeyOptions()) make.addOption(option)

  add(
    'remove <id> <thumbprint>',
    'remove a public key of a client at once',
    async (api, id: string, thumbprint: string) => {
      const params = { path: { client_id: id, thumbprint } }
      await dataOf(api.DELETE(`${path}/{thumbprint}`, { params }))
      return { json: { client_id: id, thumbprint, removed: true }, text: 'The key is no longer valid.' }
    },
    (id) => `Whoever still signs with this key of ${id} is refused from now on.`,
  )
}

/** The options of a key that is made. */
export function madeKeyOptions(): Option[] {
  return [
    new Option('--algorithm <algorithm>', 'the algorithm of the key')
      .choices(madeAlgorithms)
      .default('ES256'),
    new Option('--format <format>', 'how the private key is written').choices(keyFormats).default('pem'),
  ]
}

async function added(api: Api, id: string, jwk: PublicJwk): Promise<Output> {
  const key = await dataOf(api.POST(path, { params: { path: { client_id: id } }, body: { jwk } }))
  const { thumbprint, kid, algorithms } = key
  return { json: key, text: fields({ thumbprint, kid, algorithms }) }
}
