import { type Command, Option } from 'commander'
import { type Api, allPages, dataOf } from '../../api.ts'
import { adderTo, type CommandDeps } from '../../command.ts'
import { CommandFailure, exitCodes } from '../../failure.ts'
import { atConnection, findConnection } from '../../finding/find-connection.ts'
import { at, findUser } from '../../finding/find-user.ts'
import { addList, type List, page } from '../../list.ts'
import { table } from '../../output.ts'

const path = '/admin/api/connections/{connection_id}/links'

const columns = {
  user: 'username',
  'name there': 'display_name',
  subject: 'subject',
  issuer: 'issuer',
  linked: 'linked_at',
  'last login': 'last_login_at',
  'leads to nobody': 'orphaned',
} as const

const links: List<typeof path> = {
  path,
  description: 'list the links of a connection (id or name), newest first',
  options: page,
  of: async (which, api) => ({ connection_id: (await findConnection(api, which)).connection_id }),
  columns,
  nothing: 'No links.',
}

/** The commands of `gatehouse connections` about the links of users. */
export function linkCommands(connections: Command, deps: CommandDeps): void {
  const add = adderTo(connections, deps)
  addList(connections, 'links <connection>', links, deps)

  add(
    'links-of <user>',
    'list the links of a user (id or name) to connections, newest first',
    async (api, name: string) => {
      const { user_id: id } = await findUser(api, name)
      const json = await dataOf(api.GET('/admin/api/users/{user_id}/links', at(id)))
      return { json, text: table(json.items, { connection: 'connection_name', ...columns }, 'No links.') }
    },
  )

  const unlink: Command = add(
    'unlink <connection> <user>',
    'remove the links of a user (id or name) to a connection (id or name); the logins by it end, and what was granted after them',
    async (api, which: string, name: string) => {
      const { connection_id: id, name: connection } = await findConnection(api, which)
      const { user_id: userId, username } = await findUser(api, name)
      const { subject } = unlink.opts<{ subject?: string }>()
      const found = (await linksOf(api, userId)).filter(
        (link) => link.connection_id === id && (subject === undefined || link.subject === subject),
      )
      if (found.length === 0)
        throw new CommandFailure(`${username} has no such link to ${connection}.`, exitCodes.notFound)
      for (const link of found) {
        const query = { issuer: link.issuer, subject: link.subject }
        await dataOf(api.DELETE(path, { params: { ...atConnection(id).params, query } }))
      }
      return { json: { removed: found }, text: `${username} is no longer linked to ${connection}.` }
    },
    () =>
      'This removes the link, and ends the logins that came by it. The user may have no other way to log in.',
  )
  unlink.addOption(new Option('--subject <subject>', 'only the link of this subject at the provider'))
}

function linksOf(api: Api, userId: string) {
  return allPages((cursor) => {
    const query = { limit: 200, ...(cursor && { cursor }) }
    return dataOf(api.GET('/admin/api/users/{user_id}/links', { params: { ...at(userId).params, query } }))
  })
}
