import type { ClientChange, ClientToCreate, OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { clients as definition } from '@gatehouse/proto/administered/clients'
import { publicAuthenticationMethod } from '@gatehouse/proto/client-authentication'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { type Command, Option } from 'commander'
import { addAdministeredList } from '../administered-list.ts'
import { type Api, dataOf } from '../api.ts'
import { adderTo, addOptions, type CommandDeps, wholeNumber } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { clientKeyCommands } from '../keys/client-keys.ts'
import { addKeyOptions, withKeyOf } from '../keys/keyed-client.ts'
import { addList, type List, page } from '../list.ts'
import { metadataOptions, removeEmpty, type SwitchName } from '../metadata-options.ts'
import { fields, type Output } from '../output.ts'
import { secretVariable } from '../secret-variable.ts'
import { addClientImport } from './client-import.ts'

const days = new Option('--days <count>', 'how many days, including today').argParser(wholeNumber)

const usage: List<'/admin/api/clients/{client_id}/usage'> = {
  path: '/admin/api/clients/{client_id}/usage',
  description: 'count a client’s issued and refused tokens by day, newest first',
  options: { days },
  of: (id) => ({ client_id: id }),
  columns: { date: 'date', issued: 'issued', refused: 'refused' },
  nothing: 'No token requests.',
}

const top: List<'/admin/api/usage/clients'> = {
  path: '/admin/api/usage/clients',
  description: 'list the clients that got the most tokens, by default today',
  options: { days, limit: page.limit },
  columns: { id: 'client_id', issued: 'issued', refused: 'refused', 'last used': 'last_used_at' },
  nothing: 'No token requests.',
}

/** gatehouse clients … */
export function clientCommands(program: Command, deps: CommandDeps): void {
  const clients = program.command('clients').description('clients, which may ask for tokens')
  const add = adderTo(clients, deps)
  addAdministeredList(clients, definition, '/admin/api/clients', deps)
  addList(clients, 'usage <id>', usage, deps)
  addList(clients, 'top', top, deps)
  addClientImport(clients, deps)
  clientKeyCommands(clients, deps)

  add('show <id>', 'show one client', async (api, id: string) =>
    shown(await dataOf(api.GET('/admin/api/clients/{client_id}', at(id)))),
  )

  const create = add(
    'create',
    'create a client with the secret in GATEHOUSE_NEW_SECRET, or a new one that is shown only once',
    async (api) => {
      const secret = secretVariable('GATEHOUSE_NEW_SECRET', deps.environment)
      const body = { ...removeEmpty(newClient()), ...(secret && { client_secret: secret }) }
      return withKeyOf(create.opts(), async (keys) => {
        const client = await dataOf(api.POST('/admin/api/clients', { body: { ...body, ...keys } }))
        const { json, text } = shown(client)
        return { json, text: `${text}\n${secretLine(client.client_secret)}`.trimEnd() }
      })
    },
  )
  addKeyOptions(create)
  const newClient = addOptions<Omit<ClientToCreate, 'client_secret'>>(create, {
    client_id: new Option('--id <id>', 'the id of the client; by default a new one'),
    ...metadataOptions,
    token_endpoint_auth_method: new Option('--public', 'a public client, without a secret').preset(
      publicAuthenticationMethod,
    ),
    first_party: new Option('--first-party', 'users are not asked for consent'),
  })

  const change = add(
    'change <id>',
    'update a client; an empty value removes a field',
    async (api, id: string) => shown(await update(api, id, removeEmpty(changes()))),
  )
  const changes = addOptions<Omit<ClientChange, SwitchName | 'disabled' | 'revision'>>(
    change,
    metadataOptions,
  )

  add(
    'delete <id>',
    'delete a client; its tokens are revoked at once',
    async (api, id: string) => {
      await dataOf(api.DELETE('/admin/api/clients/{client_id}', at(id)))
      return { json: { client_id: id, deleted: true }, text: `${id} is deleted.` }
    },
    (id) => `This deletes ${id} and revokes all its tokens. It cannot be undone.`,
  )

  add(
    'rotate-secret <id>',
    'give a client a new secret, which is shown only once',
    async (api, id: string, { overlap }: { overlap: number }) => {
      const body = { overlap_seconds: overlap }
      const client = await dataOf(api.POST('/admin/api/clients/{client_id}/secret', { ...at(id), body }))
      const old = overlap === 0 ? 'is no longer valid' : `stays valid for ${overlap} s`
      return { json: client, text: `${secretLine(client.client_secret)}\nThe previous secret ${old}.` }
    },
  ).option('--overlap <seconds>', 'how long the previous secret stays valid', wholeNumber, 0)

  add(
    'end-secret <id> [secret-id]',
    'end the previous secret of a client before its time',
    async (api, id: string, given: string | undefined) => {
      const secretId =
        given ?? previousSecret(await dataOf(api.GET('/admin/api/clients/{client_id}', at(id))))
      const params = { path: { client_id: id, secret_id: secretId } }
      const client = await dataOf(
        api.DELETE('/admin/api/clients/{client_id}/secrets/{secret_id}', { params }),
      )
      return { json: client, text: 'The previous secret is no longer valid.' }
    },
    (id) => `Whoever still uses the previous secret of ${id} is refused from now on. It cannot be undone.`,
  )

  for (const [name, disabled, description] of [
    ['disable', true, 'disable a client; its tokens are revoked at once'],
    ['enable', false, 'enable a client'],
  ] as const) {
    add(`${name} <id>`, description, async (api, id: string) => {
      return { json: await update(api, id, { disabled }), text: `${id} is ${name}d.` }
    })
  }
}

function at(id: string) {
  return { params: { path: { client_id: id } } }
}

async function update(api: Api, id: string, change: ClientChange): Promise<OAuthClient> {
  return dataOf(api.PATCH('/admin/api/clients/{client_id}', { ...at(id), body: change }))
}

function shown(client: OAuthClient): Output {
  const metadata = clientFieldEntries.map(([name, { label }]) => [
    `${label[0]?.toLowerCase()}${label.slice(1)}`,
    client[name],
  ])
  const text = fields({
    id: client.client_id,
    ...Object.fromEntries(metadata.filter(([, value]) => value !== undefined)),
    ...(client.roles && { roles: client.roles.map(({ resource, role }) => `${resource}=${role}`) }),
    disabled: client.disabled,
    created: client.created_at,
    ...Object.fromEntries(client.secrets.map(secretField)),
  })
  return { json: client, text }
}

/** The line about a secret: how old it is, when it was last used, and when it ends. */
function secretField({
  created_at,
  last_used_at,
  expires_at,
}: OAuthClient['secrets'][number]): [string, string] {
  const used = last_used_at ? `last used ${last_used_at}` : 'never used'
  const made = created_at ? `created ${created_at}, ${used}` : used
  return expires_at ? ['previous secret', `${made}, ends ${expires_at}`] : ['secret', made]
}

/** @throws CommandFailure when there is none */
function previousSecret({ client_id: id, secrets }: OAuthClient): string {
  const previous = secrets.find(({ expires_at: ends }) => ends !== undefined)?.secret_id
  if (previous === undefined) throw new CommandFailure(`${id} has no previous secret that is still valid.`)
  return previous
}

function secretLine(secret: string | undefined): string {
  return secret ? `Secret (it is not shown again):  ${secret}` : ''
}
