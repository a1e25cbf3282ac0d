import { text as readAll } from 'node:stream/consumers'
import type { TokenToRevoke } from '@gatehouse/admin-api/generated/openapi'
import { type Command, Option } from 'commander'
import { dataOf } from '../api.ts'
import type { CommandDeps } from '../command.ts'
import { confirm } from '../credentials.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { addList, type List, page } from '../list.ts'
import type { Terminal } from '../terminal.ts'

const list: List<'/admin/api/tokens'> = {
  path: '/admin/api/tokens',
  description: 'list access tokens that have not expired',
  options: {
    client_id: new Option('--client <id>', 'only tokens of this client'),
    user_id: new Option('--user <id>', 'only tokens of this user'),
    jti: new Option('--jti <id>', 'only the token with this id'),
    ...page,
  },
  columns: {
    'jti:exp': (token) => `${token.jti}:${token.exp}`,
    client: 'client_id',
    user: 'username',
    organization: 'organization_id',
    scope: 'scope',
    issued: 'issued_at',
    revoked: 'revoked',
  },
  nothing: 'No tokens.',
}

/** gatehouse tokens … */
export function tokenCommands(program: Command, deps: CommandDeps): void {
  const { perform, terminal } = deps
  const tokens = program.command('tokens').description('access tokens')
  addList(tokens, 'list', list, deps)

  tokens
    .command('revoke [token]')
    .description(
      'revoke one token, or all of a client or user: "-" reads the token from standard input, jti:exp is from the list',
    )
    .option('--client <id>', 'all tokens of this client')
    .option('--user <id>', 'all tokens of this user')
    .option('--yes', 'do not ask for confirmation')
    .action(async (token: string | undefined, { client, user, yes }: Owner & { yes?: boolean }) => {
      const [owner, ...others] = [token, client, user].filter((one) => one !== undefined)
      if (owner === undefined || others.length > 0) {
        throw new CommandFailure('Give exactly one of: a token, --client, --user.', exitCodes.usage)
      }
      if (token !== undefined) {
        const body = await whichToken(token, terminal)
        return perform(async (api) => {
          await dataOf(api.POST('/admin/api/tokens/revoke', { body }))
          return { json: { revoked: true }, text: 'The token is revoked.' }
        })
      }
      if (!yes) await confirm(`This revokes all tokens of ${owner}.`, terminal)
      await perform(async (api) => {
        const answer =
          client === undefined
            ? api.DELETE('/admin/api/users/{user_id}/tokens', { params: { path: { user_id: owner } } })
            : api.DELETE('/admin/api/clients/{client_id}/tokens', { params: { path: { client_id: owner } } })
        await dataOf(answer)
        return { json: { revoked: true }, text: `All tokens of ${owner} are revoked.` }
      })
    })
}

type Owner = { client?: string; user?: string }

/** @throws CommandFailure for a token on the command line, where other users of the machine could see it */
async function whichToken(word: string, { input }: Terminal): Promise<TokenToRevoke> {
  const [, jti, exp] = /^([\da-f-]{36}):(\d+)$/.exec(word) ?? []
  if (jti !== undefined) return { jti, exp: Number(exp) }
  if (word !== '-') {
    throw new CommandFailure(
      'Send the token to standard input and write "-" in its place: other users can see a command line.',
      exitCodes.usage,
    )
  }
  return { token: (await readAll(input)).trim() }
}
