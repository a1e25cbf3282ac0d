import type { MemberInvitation, OrganizationDomain } from '@gatehouse/admin-api/generated/openapi'
import { memberRoleNames } from '@gatehouse/proto/organizations'
import { type Command, Option } from 'commander'
import { type Api, allPages, dataOf } from '../../api.ts'
import { adderTo, addOptions, type CommandDeps } from '../../command.ts'
import { CommandFailure, exitCodes } from '../../failure.ts'
import { atOrganization, findOrganization } from '../../finding/find-organization.ts'
import { addList, type List, page } from '../../list.ts'
import { fields, type Output, table } from '../../output.ts'
import { languageOption } from '../mails.ts'

const invitations: List<'/admin/api/organizations/{organization_id}/invitations'> = {
  path: '/admin/api/organizations/{organization_id}/invitations',
  description: 'list the open invitations to an organization (id or slug), newest first',
  options: page,
  of: async (which, api) => ({ organization_id: (await findOrganization(api, which)).organization_id }),
  columns: { 'e-mail': 'email', role: 'role', by: 'invited_by', sent: 'sent_at', ends: 'expires_at' },
  nothing: 'No open invitations.',
}

/** The commands of `gatehouse organizations` about invitations and domains. */
export function organizationJoiningCommands(organizations: Command, deps: CommandDeps): void {
  const add = adderTo(organizations, deps)
  addList(organizations, 'invitations <organization>', invitations, deps)
  invitationCommands(add)
  domainCommands(add)
}

function invitationCommands(add: ReturnType<typeof adderTo>): void {
  const invite = add(
    'invite <organization> <address>',
    'invite somebody to an organization (id or slug), by mail',
    async (api, which: string, email: string) => {
      const { organization_id: id, name } = await findOrganization(api, which)
      const path = '/admin/api/organizations/{organization_id}/invitations'
      const json = await dataOf(api.POST(path, { ...atOrganization(id), body: { ...given(), email } }))
      return { json, text: `The invitation to ${name} goes to ${json.email}.` }
    },
  )
  const given = addOptions<Omit<MemberInvitation, 'email' | 'roles'>>(invite, {
    role: new Option('--role <role>', 'what they become; by default member').choices([...memberRoleNames]),
    language: languageOption,
  })

  add(
    'resend-invitation <organization> <address>',
    'send an invitation to an organization again with a new link; the earlier link no longer works',
    async (api, which: string, address: string) => {
      const params = await openInvitation(api, which, address)
      const path = '/admin/api/organizations/{organization_id}/invitations/{invitation_id}/resend'
      const json = await dataOf(api.POST(path, { params }))
      return { json, text: `A new invitation goes to ${json.email}.` }
    },
  )

  add(
    'withdraw-invitation <organization> <address>',
    'withdraw an invitation to an organization; its link no longer works',
    async (api, which: string, address: string) => {
      const params = await openInvitation(api, which, address)
      const path = '/admin/api/organizations/{organization_id}/invitations/{invitation_id}'
      await dataOf(api.DELETE(path, { params }))
      return { json: { ...params.path, withdrawn: true }, text: `The invitation of ${address} is withdrawn.` }
    },
  )
}

/** The parameters of the open invitation of an address. @throws CommandFailure when there is none */
async function openInvitation(api: Api, which: string, address: string) {
  const { organization_id: id } = await findOrganization(api, which)
  const path = '/admin/api/organizations/{organization_id}/invitations'
  const open = await allPages((cursor) => {
    const query = { limit: 200, ...(cursor && { cursor }) }
    return dataOf(api.GET(path, { params: { ...atOrganization(id).params, query } }))
  })
  const found = open.find(({ email }) => email.toLowerCase() === address.toLowerCase())
  if (found) return { path: { organization_id: id, invitation_id: found.invitation_id } }
  throw new CommandFailure(`${address} has no open invitation.`, exitCodes.notFound)
}

function domainCommands(add: ReturnType<typeof adderTo>): void {
  const one = '/admin/api/organizations/{organization_id}/domains/{domain}'
  const all = '/admin/api/organizations/{organization_id}/domains'
  const at = async (api: Api, which: string, domain: string) => ({
    params: { path: { organization_id: (await findOrganization(api, which)).organization_id, domain } },
  })

  add(
    'domains <organization>',
    'list the domains of an organization (id or slug)',
    async (api, which: string) => {
      const { organization_id: id } = await findOrganization(api, which)
      const json = await dataOf(api.GET(all, atOrganization(id)))
      const columns = {
        domain: 'domain',
        state: 'state',
        proven: 'proven_at',
        checked: 'checked_at',
      } as const
      return { json, text: table(json.items, columns, 'No domains.') }
    },
  )

  add(
    'add-domain <organization> <domain>',
    'add a domain to an organization, which proves it by a record in the DNS',
    async (api, which: string, domain: string) => {
      const { organization_id: id } = await findOrganization(api, which)
      return shown(await dataOf(api.POST(all, { ...atOrganization(id), body: { domain } })))
    },
  )

  add(
    'prove-domain <organization> <domain>',
    'look for the record that proves a domain now',
    async (api, which: string, domain: string) => {
      const json = await dataOf(api.POST(`${one}/proof`, await at(api, which, domain)))
      const { reason } = json
      return { json, text: shown(json.domain).text, ...(reason !== undefined && { failure: reason }) }
    },
  )

  add(
    'remove-domain <organization> <domain>',
    'remove a domain of an organization; another one may prove it then',
    async (api, which: string, domain: string) => {
      await dataOf(api.DELETE(one, await at(api, which, domain)))
      return { json: { domain, removed: true }, text: `${domain} is removed.` }
    },
  )
}

function shown(domain: OrganizationDomain): Output {
  const text = fields({
    domain: domain.domain,
    state: domain.state,
    'name of the TXT record': domain.record_name,
    'its value': domain.record_value,
    proven: domain.proven_at,
    checked: domain.checked_at,
  })
  return { json: domain, text }
}
