import type {
  Organization,
  OrganizationChange,
  OrganizationToCreate,
} from '@gatehouse/admin-api/generated/openapi'
import { organizations as definition } from '@gatehouse/proto/administered/organizations'
import { organizationFields as words } from '@gatehouse/proto/organizations'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { addAdministeredList } from '../../administered-list.ts'
import { dataOf } from '../../api.ts'
import { trueOrFalse } from '../../attribute-options.ts'
import { adderTo, addOptions, type CommandDeps } from '../../command.ts'
import { atOrganization, findOrganization } from '../../finding/find-organization.ts'
import { removeEmpty } from '../../metadata-options.ts'
import { fields, type Output } from '../../output.ts'
import { organizationJoiningCommands } from './organization-joining.ts'
import { organizationMemberCommands } from './organization-members.ts'

const settings = {
  logo_uri: new Option('--logo-uri <url>', words.logo_uri.description),
  color: new Option('--color <color>', words.color.description),
  attributes: new Option(
    '--attribute <name=text>',
    `${words.attributes.description} May be repeated; those that are not named are removed.`,
  ).argParser(attributesIn),
  second_factor_required: new Option(
    '--second-factor-required <true|false>',
    words.second_factor_required.description,
  ).argParser(trueOrFalse),
  sso_required: new Option('--sso-required <true|false>', words.sso_required.description).argParser(
    trueOrFalse,
  ),
}
const named = new Option('--name <name>', words.name.description)

const switches = [
  [
    'disable',
    true,
    'disable an organization (id or slug); everything that was granted in it ends',
    'disabled',
  ],
  ['enable', false, 'enable an organization (id or slug); what ended stays ended', 'enabled'],
] as const

/** gatehouse organizations … */
export function organizationCommands(program: Command, deps: CommandDeps): void {
  const organizations = program.command('organizations').description('organizations and their members')
  const add = adderTo(organizations, deps)
  addAdministeredList(organizations, definition, '/admin/api/organizations', deps)

  add('show <organization>', 'show one organization (id or slug)', async (api, idOrSlug: string) =>
    shown(await findOrganization(api, idOrSlug)),
  )

  const creation = add('create <slug>', 'create an organization', async (api, slug: string) => {
    const { name = slug, ...given } = wanted()
    const body = { ...given, slug, name }
    return shown(await dataOf(api.POST('/admin/api/organizations', { body })))
  })
  const wanted = addOptions<Omit<OrganizationToCreate, 'slug'>>(creation, { name: named, ...settings })

  const update = add(
    'update <organization>',
    'change an organization (id or slug)',
    async (api, which: string) => {
      const { organization_id: id } = await findOrganization(api, which)
      const body = removeEmpty(changes(), { logo_uri: true, color: true })
      const path = '/admin/api/organizations/{organization_id}'
      return shown(await dataOf(api.PATCH(path, { ...atOrganization(id), body })))
    },
  )
  const changes = addOptions<Omit<OrganizationChange, 'revision' | 'disabled'>>(update, {
    slug: new Option('--slug <slug>', words.slug.description),
    name: named,
    ...settings,
  })

  for (const [command, disabled, description, done] of switches)
    add(`${command} <organization>`, description, async (api, which: string) => {
      const { organization_id: id, name } = await findOrganization(api, which)
      const path = '/admin/api/organizations/{organization_id}'
      const json = await dataOf(api.PATCH(path, { ...atOrganization(id), body: { disabled } }))
      return { json, text: `${name} is ${done}.` }
    })

  add(
    'delete <organization>',
    'delete an organization (id or slug) with its groups, roles and invitations; its members stay users',
    async (api, which: string) => {
      const { organization_id: id, name } = await findOrganization(api, which)
      await dataOf(api.DELETE('/admin/api/organizations/{organization_id}', atOrganization(id)))
      return { json: { organization_id: id, deleted: true }, text: `${name} is deleted.` }
    },
    (which) => `This deletes ${which} and ends everything that was granted in it. It cannot be undone.`,
  )

  organizationMemberCommands(organizations, deps)
  organizationJoiningCommands(organizations, deps)
}

/** Reads `name=text`, and adds it to those before. @throws InvalidArgumentError without an equals sign */
function attributesIn(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  if (text === '') return { ...before }
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('must be a name, "=" and a text')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

function shown(organization: Organization): Output {
  const attributes = Object.entries(organization.attributes).map(([name, text]) => `${name}=${text}`)
  const text = fields({
    id: organization.organization_id,
    slug: organization.slug,
    name: organization.name,
    logo: organization.logo_uri,
    color: organization.color,
    attributes,
    'two factors required': organization.second_factor_required,
    'single sign-on required': organization.sso_required,
    disabled: organization.disabled,
    created: organization.created_at,
  })
  return { json: organization, text }
}
