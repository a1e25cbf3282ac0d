import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import { type CommandDeps, listQuery, wholeNumber } from '../command.ts'
import { confirm } from '../credentials.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { table } from '../output.ts'
import type { Terminal } from '../terminal.ts'

type Token = {
  jti: string
  exp: number
  client_id: string
  username?: string
  scope: string
  issued_at: string
  expires_at: string
  revoked: boolean
}
type Owner = { client?: string; user?: string }

/** gatehouse tokens … */
export function tokenCommands(program: Command, { perform, terminal }: CommandDeps): void {
  const tokens = program.command('tokens').description('access tokens')

  tokens
    .command('list')
    .description('access tokens that are not over')
    .option('--client <id>', 'only of this client')
    .option('--user <id>', 'only of this user')
    .option('--limit <count>', 'maximum results', wholeNumber)
    .option('--cursor <cursor>', 'next_cursor of the list before')
    .action(({ client, user, ...page }: Owner & { limit?: number; cursor?: string }) =>
      perform(async (api) => {
        const query = listQuery({ client_id: client, user_id: user, ...page })
        const list = await api.call<{ items: Token[] }>('GET', `tokens${query}`)
        const columns = {
          'jti:exp': (token: Token) => `${token.jti}:${token.exp}`,
          client: (token: Token) => token.client_id,
          user: (token: Token) => token.username,
          scope: (token: Token) => token.scope,
          issued: (token: Token) => token.issued_at,
          revoked: (token: Token) => token.revoked,
        }
        return { json: list, text: table(list.items, columns, 'No active tokens.') }
      }),
    )

  tokens
    .command('revoke [token]')
    .description(
      'end one token: "-" reads it from standard input, jti:exp is as the list shows it; or all of an owner',
    )
    .option('--client <id>', 'all of this client')
    .option('--user <id>', 'all of this user')
    .option('--yes', 'do not ask')
    .action(async (token: string | undefined, { client, user, yes }: Owner & { yes?: boolean }) => {
      const [owner, ...others] = [token, client, user].filter((one) => one !== undefined)
      if (owner === undefined || others.length > 0) {
        throw new CommandFailure('Say one of: a token, --client, --user.', exitCodes.usage)
      }
      if (token !== undefined) {
        const which = await whichToken(token, terminal)
        return perform(async (api) => {
          await api.call('POST', 'tokens/revoke', which)
          return { json: { revoked: true }, text: 'The token is revoked.' }
        })
      }
      if (!yes) await confirm(`All tokens of ${owner} end now.`, terminal)
      const path =
        client === undefined ? `users/${encodeURIComponent(owner)}` : `clients/${encodeURIComponent(owner)}`
      await perform(async (api) => {
        await api.call('DELETE', `${path}/tokens`)
        return { json: { revoked: true }, text: `All tokens of ${owner} have ended.` }
      })
    })
}

/** @throws CommandFailure for a token on the command line, which others would see there */
async function whichToken(word: string, { input }: Terminal): Promise<object> {
  const [, jti, exp] = /^([\da-f-]{36}):(\d+)$/.exec(word) ?? []
  if (jti !== undefined) return { jti, exp: Number(exp) }
  if (word !== '-') {
    throw new CommandFailure(
      'Send the token to standard input, and "-" in its place: others see what is on a command line.',
      exitCodes.usage,
    )
  }
  return { token: (await readAll(input)).trim() }
}
