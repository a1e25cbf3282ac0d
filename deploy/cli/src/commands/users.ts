import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { AdminApi } from '../api.ts'
import { type CommandDeps, listQuery, wholeNumber } from '../command.ts'
import { confirm } from '../credentials.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { fields, table } from '../output.ts'

type User = { user_id: string; username: string; admin: boolean; disabled: boolean; created_at: string }

/** gatehouse users … */
export function userCommands(program: Command, { environment, perform, terminal }: CommandDeps): void {
  const users = program.command('users').description('who may log in')

  users
    .command('list')
    .description('users by name')
    .option('--search <text>', 'a part of the name')
    .option('--limit <count>', 'maximum results', wholeNumber)
    .option('--cursor <cursor>', 'next_cursor of the list before')
    .action((options: { search?: string; limit?: number; cursor?: string }) =>
      perform(async (api) => {
        const list = await api.call<{ items: User[] }>('GET', `users${listQuery({ ...options })}`)
        const columns = {
          id: (user: User) => user.user_id,
          name: (user: User) => user.username,
          administrator: (user: User) => user.admin,
          disabled: (user: User) => user.disabled,
        }
        return { json: list, text: table(list.items, columns, 'There are no users.') }
      }),
    )

  users
    .command('create <name>')
    .description(
      'add a user, with the password in GATEHOUSE_NEW_PASSWORD, or one that is made up and shown this once',
    )
    .option('--admin', 'make an administrator')
    .action((username: string, { admin = false }: { admin?: boolean }) =>
      perform(async (api) => {
        const given = environment.GATEHOUSE_NEW_PASSWORD
        const password = given || randomBytes(15).toString('base64url')
        const user = await api.call<User>('POST', 'users', { username, admin, password })
        const lines = [fields({ id: user.user_id, name: user.username, administrator: user.admin })]
        const generated = given ? undefined : password
        const json = { ...user, ...(generated && { generated_password: generated }) }
        return { json, text: [...lines, ...passwordLine(generated)].join('\n') }
      }),
    )

  users
    .command('reset-password <user>')
    .description(
      'give a user (id or name) the password in GATEHOUSE_NEW_PASSWORD, or a generated one; all logins end',
    )
    .action((name: string) =>
      perform(async (api) => {
        const { user_id: id, username } = await findUser(api, name)
        const password = environment.GATEHOUSE_NEW_PASSWORD || undefined
        const reset = await api.call<{ generated_password?: string }>('POST', `users/${id}/password`, {
          new_password: password,
        })
        const lines = [`${username} has another password, and is logged out everywhere.`]
        return { json: reset, text: [...lines, ...passwordLine(reset.generated_password)].join('\n') }
      }),
    )

  users
    .command('delete <user>')
    .description('delete a user (id or name), with all logins, consents and tokens')
    .option('--yes', 'do not ask')
    .action(async (name: string, options: { yes?: boolean }) => {
      if (!options.yes)
        await confirm(`${name} will be gone for good, with all consents and tokens.`, terminal)
      await perform(async (api) => {
        const { user_id: id, username } = await findUser(api, name)
        await api.call('DELETE', `users/${id}`)
        return { json: { user_id: id, deleted: true }, text: `${username} is deleted.` }
      })
    })

  for (const { command, change, description, done } of changes) {
    users
      .command(`${command} <user>`)
      .description(description)
      .action((name: string) =>
        perform(async (api) => {
          const { user_id: id, username } = await findUser(api, name)
          const user = await api.call<User>('PATCH', `users/${id}`, change)
          return { json: user, text: `${username} ${done}.` }
        }),
      )
  }
}

const changes = [
  {
    command: 'disable',
    change: { disabled: true },
    description: 'disable a user (id or name): all logins and tokens end at once',
    done: 'is disabled',
  },
  {
    command: 'enable',
    change: { disabled: false },
    description: 'enable a user (id or name)',
    done: 'is enabled',
  },
  {
    command: 'promote',
    change: { admin: true },
    description: 'make an administrator',
    done: 'is an administrator',
  },
  {
    command: 'demote',
    change: { admin: false },
    description: 'make an administrator an ordinary user',
    done: 'is no longer an administrator',
  },
]

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A user by id or name. @throws CommandFailure when there is none */
async function findUser(api: AdminApi, idOrName: string): Promise<User> {
  if (uuid.test(idOrName)) return api.call<User>('GET', `users/${idOrName}`)
  const { items } = await api.call<{ items: User[] }>('GET', `users${listQuery({ search: idOrName })}`)
  const found = items.find(({ username }) => username.toLowerCase() === idOrName.toLowerCase())
  if (found) return found
  throw new CommandFailure('There is no such user.', exitCodes.notFound)
}

function passwordLine(password: string | undefined): string[] {
  return password ? [`Password (it is not shown again):  ${password}`] : []
}
