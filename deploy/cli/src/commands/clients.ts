import { type ClientMetadata, clientFieldEntries } from '@gatehouse/proto/client-metadata'
import type { Command } from 'commander'
import { type CommandDeps, listQuery, oneMore, wholeNumber } from '../command.ts'
import { confirm } from '../credentials.ts'
import { addMetadataOptions, type MetadataOptions, metadataOf } from '../metadata-options.ts'
import { fields, table } from '../output.ts'

type Client = {
  client_id: string
  client_name: string
  redirect_uris: string[]
  grant_types: string[]
  scope: string
  first_party: boolean
  disabled: boolean
  created_at: string
} & ClientMetadata

type ListOptions = { search?: string; limit?: number; cursor?: string }
type CreateOptions = {
  name?: string
  redirectUri?: string[]
  grantType?: string[]
  scope?: string
  public?: boolean
  firstParty?: boolean
} & MetadataOptions

/** gatehouse clients … */
export function clientCommands(program: Command, { perform, terminal }: CommandDeps): void {
  const clients = program.command('clients').description('who may ask for tokens')

  clients
    .command('list')
    .description('clients, the newest first')
    .option('--search <text>', 'a part of the name or id')
    .option('--limit <count>', 'maximum results', wholeNumber)
    .option('--cursor <cursor>', 'next_cursor of the list before')
    .action((options: ListOptions) =>
      perform(async (api) => {
        const list = await api.call<{ items: Client[] }>('GET', `clients${listQuery({ ...options })}`)
        const columns = {
          id: (client: Client) => client.client_id,
          name: (client: Client) => client.client_name,
          'grant types': (client: Client) => client.grant_types,
          scope: (client: Client) => client.scope,
          disabled: (client: Client) => client.disabled,
        }
        return { json: list, text: table(list.items, columns, 'No clients.') }
      }),
    )

  clients
    .command('show <id>')
    .description('one client')
    .action((id: string) =>
      perform(async (api) => {
        const client = await api.call<Client>('GET', pathOf(id))
        return { json: client, text: describe(client) }
      }),
    )

  const create = clients
    .command('create')
    .description('add a client; its secret is shown this once')
    .option('--name <name>', 'what people read')
    .option('--redirect-uri <uri>', 'where codes are sent; may be repeated', oneMore)
    .option('--grant-type <type>', 'authorization_code, client_credentials …; may be repeated', oneMore)
    .option('--scope <scope>', 'what it may ask for, separated by spaces')
    .option('--public', 'without a secret')
    .option('--first-party', 'users are not asked for consent')
  addMetadataOptions(create).action((options: CreateOptions) =>
    perform(async (api) => {
      const client = await api.call<Client & { client_secret?: string }>('POST', 'clients', {
        client_name: options.name,
        redirect_uris: options.redirectUri,
        grant_types: options.grantType,
        scope: options.scope,
        token_endpoint_auth_method: options.public ? 'none' : undefined,
        first_party: options.firstParty,
        ...metadataOf(options),
      })
      return { json: client, text: `${describe(client)}\n${secretLine(client.client_secret)}`.trimEnd() }
    }),
  )

  const change = clients
    .command('change <id>')
    .description('change a client; an empty value removes a field')
    .option('--name <name>', 'what people read')
    .option('--scope <scope>', 'what it may ask for, separated by spaces')
  addMetadataOptions(change).action(
    (id: string, options: MetadataOptions & { name?: string; scope?: string }) =>
      perform(async (api) => {
        const client = await api.call<Client>('PATCH', pathOf(id), {
          client_name: options.name,
          scope: options.scope,
          ...metadataOf(options),
        })
        return { json: client, text: describe(client) }
      }),
  )

  clients
    .command('delete <id>')
    .description('delete a client; its tokens end at once')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: { yes?: boolean }) => {
      if (!options.yes) await confirm(`${id} and all its tokens will be gone for good.`, terminal)
      await perform(async (api) => {
        await api.call('DELETE', pathOf(id))
        return { json: { client_id: id, deleted: true }, text: `${id} is deleted.` }
      })
    })

  clients
    .command('rotate-secret <id>')
    .description('give a client a new secret, shown this once')
    .option('--overlap <seconds>', 'how long the old secret stays valid', wholeNumber, 0)
    .action((id: string, { overlap }: { overlap: number }) =>
      perform(async (api) => {
        const client = await api.call<{ client_secret: string }>('POST', `${pathOf(id)}/secret`, {
          overlap_seconds: overlap,
        })
        const old =
          overlap === 0
            ? 'The old secret is no longer valid.'
            : `The old secret stays valid for ${overlap} s.`
        return { json: client, text: `${secretLine(client.client_secret)}\n${old}` }
      }),
    )

  for (const [name, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    clients
      .command(`${name} <id>`)
      .description(disabled ? 'disable a client; its tokens are revoked at once' : 'enable a client')
      .action((id: string) =>
        perform(async (api) => {
          const client = await api.call<Client>('PATCH', pathOf(id), { disabled })
          return { json: client, text: `${id} is ${name}d.` }
        }),
      )
  }
}

function pathOf(id: string): string {
  return `clients/${encodeURIComponent(id)}`
}

function describe(client: Client): string {
  const metadata = clientFieldEntries.map(([name, { label }]) => [label.toLowerCase(), client[name]])
  return fields({
    id: client.client_id,
    name: client.client_name,
    'redirect URIs': client.redirect_uris,
    'grant types': client.grant_types,
    scope: client.scope,
    'first-party': client.first_party,
    ...Object.fromEntries(metadata.filter(([, value]) => value !== undefined)),
    disabled: client.disabled,
    created: client.created_at,
  })
}

function secretLine(secret: string | undefined): string {
  return secret ? `Secret (it is not shown again):  ${secret}` : ''
}
