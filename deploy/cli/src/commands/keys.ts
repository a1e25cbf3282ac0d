import type { Command } from 'commander'
import { dataOf } from '../api.ts'
import { adderTo, type CommandDeps } from '../command.ts'
import { addList, type List } from '../list.ts'

const list: List<'/admin/api/keys'> = {
  path: '/admin/api/keys',
  description: 'the active key, and those that verify still',
  options: {},
  columns: {
    kid: 'kid',
    created: 'created_at',
    'verifies until': (key) => key.verifies_until ?? 'it is the active one',
  },
  nothing: 'There are no keys.',
}

/** gatehouse keys … */
export function keyCommands(program: Command, deps: CommandDeps): void {
  const keys = program.command('keys').description('what access tokens are signed with')
  addList(keys, 'list', list, deps)
  adderTo(keys, deps)(
    'rotate',
    'put a new key into service; no token that is out fails for it',
    async (api) => {
      const rotated = await dataOf(api.POST('/admin/api/keys/rotate'))
      const old = rotated.previous.map(({ kid, verifies_until: until }) => `${kid} verifies until ${until}.`)
      return { json: rotated, text: [`New tokens are signed with ${rotated.kid}.`, ...old].join('\n') }
    },
  )
}
