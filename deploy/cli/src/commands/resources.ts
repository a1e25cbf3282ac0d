import type {
  ResourceServer,
  ResourceServerChange,
  ResourceServerToCreate,
} from '@gatehouse/admin-api/generated/openapi'
import { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import { claimsShapes, tokenClaims, resourceServerFields as words } from '@gatehouse/proto/resource-servers'
import { type Command, Option } from 'commander'
import { addAdministeredList } from '../administered-list.ts'
import { type Api, dataOf } from '../api.ts'
import { adderTo, addOptions, type CommandDeps, wholeNumber } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { atResource, findResource } from '../finding/find-resource.ts'
import { fields, type Output } from '../output.ts'

/** Said to people who add a resource server and may not know of it. */
const closed =
  'Only clients whose scope an administrator decided get tokens for it.\nTo let clients in that register themselves, as MCP clients do: resources update … --open-registration true'

type Scopes = ResourceServerToCreate['scopes']
type Roles = NonNullable<ResourceServerToCreate['roles']>
type Claims = NonNullable<ResourceServerToCreate['token_claims']>

const settings = {
  name: new Option('--name <name>', words.name.description),
  scopes: new Option(
    '--scope <scope=words>',
    'a scope and what it allows, such as "mcp:tools=Use its tools"; may be repeated',
  ).argParser((text: string, before: Scopes = []) => [...before, scopeFrom(text)]),
  token_lifetime: new Option('--token-lifetime <seconds>', words.token_lifetime.description).argParser(
    wholeNumber,
  ),
  open_registration: new Option('--open-registration <true|false>', words.open_registration.description)
    .choices(['true', 'false'])
    .argParser((text: string) => text === 'true'),
  client_id: new Option('--client-id <id>', words.client_id.description),
  roles: new Option(
    '--role <name=scopes=words>',
    'a role, the scopes that it gives, and its purpose, such as "editor=mcp:tools mcp:files=Edits files"; only the name is needed; may be repeated; an empty text for no roles',
  ).argParser((text: string, before: Roles = []) => (text === '' ? before : [...before, roleFrom(text)])),
  scopes_by_role: new Option('--scopes-by-role <true|false>', words.scopes_by_role.description)
    .choices(['true', 'false'])
    .argParser((text: string) => text === 'true'),
  token_claims: new Option(
    '--token-claim <claim>',
    `a claim about users that access tokens for it have, of ${tokenClaims.join(', ')}; may be repeated; an empty text for none`,
  ).argParser((text: string, before: Claims = []) =>
    text === '' ? before : [...before, text as Claims[number]],
  ),
  claims_shape: new Option(
    `--claims-shape <${claimsShapes.join('|')}>`,
    words.claims_shape.description.replaceAll('`', ''),
  ),
}

/** gatehouse resources … */
export function resourceCommands(program: Command, deps: CommandDeps): void {
  const resources = program
    .command('resources')
    .description('resource servers, for which clients may ask for tokens')
  const add = adderTo(resources, deps)
  addAdministeredList(resources, resourceServers, '/admin/api/resources', deps, {
    scopes: ({ scopes }) => scopes.map(({ scope }) => scope),
  })

  add('show <resource>', 'show one resource server (identifier or id)', async (api, named: string) =>
    shown(await findResource(api, named)),
  )

  const addition = add(
    'add <identifier>',
    'add a resource server; it needs at least one scope',
    async (api, identifier: string) => {
      const body = { scopes: [], ...given(), identifier }
      const added = shown(await dataOf(api.POST('/admin/api/resources', { body })))
      return body.open_registration ? added : { ...added, text: `${added.text}\n\n${closed}` }
    },
  )
  const given = addOptions<Omit<ResourceServerToCreate, 'identifier'>>(addition, settings)

  const update = add(
    'update <resource>',
    'update a resource server (identifier or id); its scopes, roles and claims are replaced by those given here',
    async (api, named: string) => {
      const existing = await findResource(api, named)
      const { roles, ...others } = changes()
      return shown(
        await changeOf(api, existing, { ...others, ...(roles && { roles: keepingRest(roles, existing) }) }),
      )
    },
  )
  const changes = addOptions<Omit<ResourceServerChange, 'disabled' | 'revision'>>(update, settings)

  add(
    'delete <resource>',
    'delete a resource server (identifier or id); what was granted for it is revoked',
    async (api, named: string) => {
      const { resource_id: id, identifier } = await findResource(api, named)
      await dataOf(api.DELETE('/admin/api/resources/{resource_id}', atResource(id)))
      return { json: { resource_id: id, deleted: true }, text: `${identifier} is deleted.` }
    },
    (named) => `This deletes ${named} and revokes all tokens for it. It cannot be undone.`,
  )

  for (const [name, disabled, description] of [
    ['disable', true, 'disable a resource server (identifier or id); its tokens are revoked at once'],
    ['enable', false, 'enable a resource server (identifier or id)'],
  ] as const) {
    add(`${name} <resource>`, description, async (api, named: string) => {
      const json = await change(api, named, { disabled })
      return { json, text: `${json.identifier} is ${name}d.` }
    })
  }
}

/** Reads `scope=words`. @throws CommandFailure when there are no words */
function scopeFrom(text: string): Scopes[number] {
  const [, scope = '', description = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (scope !== '') return { scope, description }
  throw new CommandFailure(`"${text}" must be a scope, "=" and what the scope allows.`, exitCodes.usage)
}

/** Reads `name=scopes=words`. @throws CommandFailure without a name */
function roleFrom(text: string): Roles[number] {
  const [, name, scopes, description] = /^([^=]+)(?:=([^=]*)(?:=(.*))?)?$/s.exec(text) ?? []
  if (name === undefined)
    throw new CommandFailure(
      `"${text}" must be the name of a role, "=", scopes, "=" and its purpose.`,
      exitCodes.usage,
    )
  return {
    name,
    scopes: (scopes ?? '').split(' ').filter((word) => word !== ''),
    ...(description !== undefined && { description }),
  }
}

/** Roles with the purpose, and the right of organizations, that roles of the same names have, where the command does not say. */
function keepingRest(roles: Roles, { roles: existing }: ResourceServer): Roles {
  return roles.map((role) => ({ ...existing.find(({ name }) => name === role.name), ...role }))
}

async function change(api: Api, named: string, body: ResourceServerChange): Promise<ResourceServer> {
  return changeOf(api, await findResource(api, named), body)
}

async function changeOf(
  api: Api,
  { resource_id: id }: ResourceServer,
  body: ResourceServerChange,
): Promise<ResourceServer> {
  return dataOf(api.PATCH('/admin/api/resources/{resource_id}', { ...atResource(id), body }))
}

function shown(resource: ResourceServer): Output {
  const text = fields({
    id: resource.resource_id,
    identifier: resource.identifier,
    name: resource.name,
    ...Object.fromEntries(resource.scopes.map(({ scope, description }) => [`scope ${scope}`, description])),
    'token lifetime': resource.token_lifetime,
    'open registration': resource.open_registration,
    'client id': resource.client_id,
    ...Object.fromEntries(
      resource.roles.map(({ name, description, scopes, organizations_may_give: mayGive }) => [
        `role ${name}`,
        [scopes.join(' ') || '-', description, mayGive ? 'organizations may give it' : '']
          .filter((text) => text !== '')
          .join(', '),
      ]),
    ),
    'scopes by role': resource.scopes_by_role,
    'token claims': resource.token_claims.join(', ') || undefined,
    'claims shape': resource.claims_shape,
    disabled: resource.disabled,
    created: resource.created_at,
  })
  return { json: resource, text }
}
