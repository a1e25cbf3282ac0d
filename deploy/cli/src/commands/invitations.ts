import type { Command } from 'commander'
import { type Api, allPages, dataOf } from '../api.ts'
import { adderTo, type CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { addList, type List, page } from '../list.ts'

const list: List<'/admin/api/invitations'> = {
  path: '/admin/api/invitations',
  description: 'list the invitations that nobody has accepted or withdrawn, newest first',
  options: page,
  columns: { 'e-mail': 'email', state: 'state', sent: 'created_at', ends: 'expires_at', mail: 'mail_id' },
  nothing: 'No open invitations.',
}

/** The commands of `gatehouse users` about invitations that are open. */
export function invitationCommands(users: Command, deps: CommandDeps): void {
  const add = adderTo(users, deps)
  addList(users, 'invitations', list, deps)
  add(
    'resend-invitation <address>',
    'send an open invitation again with a new link; the earlier link no longer works',
    async (api, address: string) => {
      const params = { path: { mail_id: await openInvitation(api, address) } }
      const json = await dataOf(api.POST('/admin/api/invitations/{mail_id}/resend', { params }))
      return { json, text: `A new invitation goes to ${address}.` }
    },
  )
  add(
    'withdraw-invitation <address>',
    'withdraw an open invitation; its link no longer works',
    async (api, address: string) => {
      const id = await openInvitation(api, address)
      await dataOf(api.DELETE('/admin/api/invitations/{mail_id}', { params: { path: { mail_id: id } } }))
      return { json: { mail_id: id, withdrawn: true }, text: `The invitation of ${address} is withdrawn.` }
    },
  )
}

/** The id of the open invitation of an address. @throws CommandFailure when there is none */
async function openInvitation(api: Api, address: string): Promise<string> {
  const open = await allPages((cursor) =>
    dataOf(
      api.GET('/admin/api/invitations', { params: { query: { limit: 200, ...(cursor && { cursor }) } } }),
    ),
  )
  const found = open.find(({ email }) => email.toLowerCase() === address.toLowerCase())
  if (found) return found.mail_id
  throw new CommandFailure(`${address} has no open invitation.`, exitCodes.notFound)
}
