import type { KeyRotation, KeyToRotate } from '@gatehouse/admin-api/generated/openapi'
import { type Command, Option } from 'commander'
import { dataOf } from '../api.ts'
import { addOptions, type CommandDeps } from '../command.ts'
import { confirm } from '../credentials.ts'
import { addList, type List } from '../list.ts'

const list: List<'/admin/api/keys'> = {
  path: '/admin/api/keys',
  description: 'list the keys that will sign tokens, sign them, or still verify them',
  options: {},
  columns: {
    kid: 'kid',
    algorithm: 'algorithm',
    state: 'state',
    created: 'created_at',
    'signs from': (key) => key.activates_at ?? '',
    'verifies until': (key) => key.verifies_until ?? '',
  },
  nothing: 'There are no keys.',
}

const options = {
  algorithm: new Option(
    '--algorithm <algorithm>',
    'the key of this algorithm; by default of the one that signs access tokens',
  ),
  immediately: new Option(
    '--immediately',
    'withdraw all earlier keys at once, because somebody else may know one: their tokens become invalid',
  ),
}

/** gatehouse keys … */
export function keyCommands(program: Command, deps: CommandDeps): void {
  const keys = program.command('keys').description('the keys that sign tokens')
  addList(keys, 'list', list, deps)
  const rotate = keys
    .command('rotate')
    .description('sign new tokens with a new key, as soon as verifiers know it; existing tokens stay valid')
  const chosen = addOptions<KeyToRotate>(rotate, options)
  rotate.option('--yes', 'do not ask for confirmation').action(async () => {
    const body = chosen()
    if (body.immediately && !rotate.opts().yes) await confirm(warningOf(body), deps.terminal)
    await deps.perform(async (api) => {
      const rotated = await dataOf(api.POST('/admin/api/keys/rotate', { body }))
      return { json: rotated, text: textOf(rotated) }
    })
  })
}

function warningOf({ algorithm }: KeyToRotate): string {
  return `This makes every token that was signed with ${algorithm ?? 'the algorithm of access tokens'} until now invalid.`
}

function textOf({ kid, state, activates_at: activatesAt, previous }: KeyRotation): string {
  const when = state === 'staged' ? `from ${activatesAt} on` : 'from now on'
  const old = previous.map((key) => `${key.kid} verifies until ${key.verifies_until}.`)
  return [`New tokens are signed with ${kid} ${when}.`, ...old].join('\n')
}
