import type { Command } from 'commander'
import type { CommandDeps } from '../command.ts'
import { table } from '../output.ts'

type Key = { kid: string; algorithm: string; created_at: string; verifies_until?: string }
type Rotated = Key & { previous: { kid: string; verifies_until: string }[] }

/** gatehouse keys … */
export function keyCommands(program: Command, { perform }: CommandDeps): void {
  const keys = program.command('keys').description('what access tokens are signed with')

  keys
    .command('list')
    .description('the active key, and those that verify still')
    .action(() =>
      perform(async (api) => {
        const list = await api.call<{ items: Key[] }>('GET', 'keys')
        const columns = {
          kid: (key: Key) => key.kid,
          created: (key: Key) => key.created_at,
          'verifies until': (key: Key) => key.verifies_until ?? 'it is the active one',
        }
        return { json: list, text: table(list.items, columns, 'There are no keys.') }
      }),
    )

  keys
    .command('rotate')
    .description('put a new key into service; no token that is out fails for it')
    .action(() =>
      perform(async (api) => {
        const rotated = await api.call<Rotated>('POST', 'keys/rotate')
        const old = rotated.previous.map(
          ({ kid, verifies_until: until }) => `${kid} verifies until ${until}.`,
        )
        return { json: rotated, text: [`New tokens are signed with ${rotated.kid}.`, ...old].join('\n') }
      }),
    )
}
