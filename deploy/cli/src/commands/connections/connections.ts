import type { Connection, ConnectionChange, ConnectionToCreate } from '@gatehouse/admin-api/generated/openapi'
import { connections as definition } from '@gatehouse/proto/administered/connections'
import {
  connectionKinds,
  newUsersRules,
  upstreamAuthentications,
  connectionFields as words,
} from '@gatehouse/proto/connections'
import { type Command, Option } from 'commander'
import { addAdministeredList } from '../../administered-list.ts'
import { dataOf } from '../../api.ts'
import { trueOrFalse } from '../../attribute-options.ts'
import { adderTo, addOptions, type CommandDeps } from '../../command.ts'
import { atConnection, findConnection } from '../../finding/find-connection.ts'
import { findOrganization } from '../../finding/find-organization.ts'
import { removeEmpty } from '../../metadata-options.ts'
import { fields, type Output } from '../../output.ts'
import { secretVariable } from '../../secret-variable.ts'
import { linkCommands } from './links.ts'
import { mappingOption, ruleText } from './mapping-option.ts'

const described = (field: keyof typeof words) => words[field].description.replaceAll('`', '')
const anEmptyText =
  'May be repeated; those that are not named are removed, and an empty text stands for none.'
const textsOption = (flags: string, field: keyof typeof words) =>
  new Option(flags, `${described(field)} ${anEmptyText}`).argParser((text: string, before: string[] = []) =>
    text === '' ? before : [...before, text],
  )
const named = new Option('--name <name>', described('name'))
const clientId = new Option('--client-id <id>', described('client_id'))

const settings = {
  issuer: new Option('--issuer <url>', described('issuer')),
  client_authentication: new Option(
    '--client-authentication <way>',
    described('client_authentication'),
  ).choices(Object.keys(upstreamAuthentications)),
  scope: new Option('--scope <scope>', described('scope')),
  acr_values: new Option('--acr-values <values>', described('acr_values')),
  tenants: textsOption('--tenant <id>', 'tenants'),
  trusts_second_factor: new Option(
    '--trusts-second-factor <true|false>',
    described('trusts_second_factor'),
  ).argParser(trueOrFalse),
  new_users: new Option('--new-users <rule>', described('new_users')).choices(Object.keys(newUsersRules)),
  mapping: mappingOption,
  domains: textsOption('--domain <domain>', 'domains'),
  on_login_page: new Option('--on-login-page <true|false>', described('on_login_page')).argParser(
    trueOrFalse,
  ),
}

const switches = [
  [
    'disable',
    true,
    'disable a connection (id or name); the logins that came by it end, and what was granted after them; links stay',
    'disabled',
  ],
  ['enable', false, 'enable a connection (id or name); what ended stays ended', 'enabled'],
] as const

/** gatehouse connections … */
export function connectionCommands(program: Command, deps: CommandDeps): void {
  const connections = program
    .command('connections')
    .description('connections to other identity providers, through which users log in')
  const add = adderTo(connections, deps)
  addAdministeredList(connections, definition, '/admin/api/connections', deps)

  add('show <connection>', 'show one connection (id or name)', async (api, which: string) => {
    const { connection_id: id } = await findConnection(api, which)
    return shown(await dataOf(api.GET('/admin/api/connections/{connection_id}', atConnection(id))))
  })

  changeCommands(add, deps)
  for (const [command, disabled, description, done] of switches)
    add(`${command} <connection>`, description, async (api, which: string) => {
      const { connection_id: id, name } = await findConnection(api, which)
      const path = '/admin/api/connections/{connection_id}'
      const json = await dataOf(api.PATCH(path, { ...atConnection(id), body: { disabled } }))
      return { json, text: `${name} is ${done}.` }
    })

  add(
    'delete <connection>',
    'delete a connection (id or name) with its links; the users stay',
    async (api, which: string) => {
      const { connection_id: id, name } = await findConnection(api, which)
      await dataOf(api.DELETE('/admin/api/connections/{connection_id}', atConnection(id)))
      return { json: { connection_id: id, deleted: true }, text: `${name} is deleted.` }
    },
    (which) =>
      `This deletes ${which} with its links, and ends the logins that came by it. It cannot be undone.`,
  )

  linkCommands(connections, deps)
}

function changeCommands(add: ReturnType<typeof adderTo>, { environment }: CommandDeps): void {
  const secret = () => {
    const given = secretVariable('GATEHOUSE_NEW_SECRET', environment)
    return given ? { client_secret: given } : {}
  }

  const creation = add(
    'create <name>',
    'create a connection with the client secret in GATEHOUSE_NEW_SECRET, or in the file that GATEHOUSE_NEW_SECRET_FILE names',
    async (api, name: string) => {
      const { organization, kind = 'oidc', client_id: id = '', ...given } = wanted()
      const owner = organization && (await findOrganization(api, organization)).organization_id
      const body = { ...given, ...secret(), name, kind, client_id: id, ...(owner && { organization: owner }) }
      return shown(await dataOf(api.POST('/admin/api/connections', { body })))
    },
  )
  const wanted = addOptions<Omit<ConnectionToCreate, 'name' | 'client_secret' | 'disabled'>>(creation, {
    kind: new Option('--kind <kind>', `${described('kind')} By default oidc.`).choices(
      Object.keys(connectionKinds),
    ),
    organization: new Option('--organization <organization>', `${described('organization')} Its id or slug.`),
    client_id: clientId,
    ...settings,
  })

  const update = add(
    'update <connection>',
    'change a connection (id or name), and its client secret to the one in GATEHOUSE_NEW_SECRET, if that is set',
    async (api, which: string) => {
      const { connection_id: id } = await findConnection(api, which)
      const body = { ...removeEmpty(changes(), { acr_values: true }), ...secret() }
      const path = '/admin/api/connections/{connection_id}'
      return shown(await dataOf(api.PATCH(path, { ...atConnection(id), body })))
    },
  )
  const changes = addOptions<Omit<ConnectionChange, 'client_secret' | 'revision' | 'disabled'>>(update, {
    ...{ name: named, client_id: clientId },
    ...settings,
  })
}

function shown(connection: Connection): Output {
  const text = fields({
    id: connection.connection_id,
    name: connection.name,
    kind: connection.kind,
    organization: connection.organization,
    issuer: connection.issuer,
    'client id': connection.client_id,
    authentication: connection.client_authentication,
    'has a secret': connection.has_client_secret,
    scope: connection.scope,
    'acr values': connection.acr_values,
    tenants: connection.tenants,
    'trusts its second factor': connection.trusts_second_factor,
    'new users': connection.new_users,
    mapping: connection.mapping.map(ruleText).join('; '),
    domains: connection.domains,
    'on the login page': connection.on_login_page,
    disabled: connection.disabled,
    created: connection.created_at,
    links: connection.links,
    'links that lead to nobody': connection.orphaned_links,
    'redirect URI': connection.redirect_uri,
    'back-channel logout': connection.backchannel_logout_uri,
    'key address': connection.jwks_uri,
  })
  return { json: connection, text }
}
