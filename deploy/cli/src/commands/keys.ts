import type { Command } from 'commander'
import { dataOf } from '../api.ts'
import { adderTo, type CommandDeps } from '../command.ts'
import { addList, type List } from '../list.ts'

const list: List<'/admin/api/keys'> = {
  path: '/admin/api/keys',
  description: 'list the current key, and the previous keys that still verify tokens',
  options: {},
  columns: {
    kid: 'kid',
    created: 'created_at',
    'verifies until': (key) => key.verifies_until ?? 'current key',
  },
  nothing: 'There are no keys.',
}

/** gatehouse keys … */
export function keyCommands(program: Command, deps: CommandDeps): void {
  const keys = program.command('keys').description('the keys that sign access tokens')
  addList(keys, 'list', list, deps)
  adderTo(keys, deps)('rotate', 'sign new tokens with a new key; existing tokens stay valid', async (api) => {
    const rotated = await dataOf(api.POST('/admin/api/keys/rotate'))
    const old = rotated.previous.map(({ kid, verifies_until: until }) => `${kid} verifies until ${until}.`)
    return { json: rotated, text: [`New tokens are signed with ${rotated.kid}.`, ...old].join('\n') }
  })
}
