import type { Reencryption, ReencryptionToGoOn } from '@gatehouse/admin-api/generated/openapi'
import type { Command } from 'commander'
import { type Api, dataOf } from '../api.ts'
import type { CommandDeps } from '../command.ts'

/** gatehouse secrets … */
export function secretCommands(program: Command, deps: CommandDeps): void {
  const secrets = program.command('secrets').description('the secrets of the server')
  secrets
    .command('reencrypt')
    .description(
      'encrypt what is stored with the current secrets, after they were exchanged with …_NEXT in every replica',
    )
    .action(() =>
      deps.perform(async (api) => {
        const done = await reencryptAll(api)
        return { json: { secrets: done }, text: done.map(lineOf).join('\n') }
      }),
    )
}

type Secret = Reencryption['secrets'][number]

/** A call goes on for some seconds, so a long work takes several. */
async function reencryptAll(api: Api): Promise<Secret[]> {
  const all = new Map<string, Secret>()
  let body: ReencryptionToGoOn = {}
  for (;;) {
    const { secrets, next } = await dataOf(api.POST('/admin/api/secrets/reencrypt', { body }))
    for (const secret of secrets) all.set(secret.variable, added(all.get(secret.variable), secret))
    if (next === undefined) return [...all.values()]
    body = { after: next }
  }
}

function added(before: Secret | undefined, secret: Secret): Secret {
  if (before === undefined) return secret
  return {
    ...before,
    ...secret,
    read: before.read + secret.read,
    rewritten: before.rewritten + secret.rewritten,
    unreadable: before.unreadable + secret.unreadable,
  }
}

function lineOf(secret: Secret): string {
  const { variable, changing, read, rewritten, unreadable } = secret
  const lost = unreadable > 0 ? ` ${unreadable} cannot be decrypted with any secret.` : ''
  const work = `${variable}: ${rewritten} of ${read} stored contents encrypted anew.${lost}`
  if (!changing) return `${work} No replica has ${variable}_NEXT.`
  const until = secret.other_needed_until
  return until === undefined
    ? `${work} Nothing else needs ${variable}_NEXT.`
    : `${work} Keep ${variable}_NEXT until ${until}, run this again, and then remove it.`
}
