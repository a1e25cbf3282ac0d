import type { Command } from 'commander'
import { stringify } from 'yaml'
import type { Api } from '../api.ts'
import { adderTo, type CommandDeps, repeated } from '../command.ts'
import { clientIdOf, confirm } from '../credentials.ts'
import { type Declaration, readDeclaration } from '../declaration/file.ts'
import type { Fields, Kind } from '../declaration/kind.ts'
import { kinds } from '../declaration/kinds.ts'
import { type Step, stepsFor, stepText } from '../declaration/plan.ts'
import { withoutVariables } from '../declaration/variables.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import type { Output } from '../output.ts'

/** gatehouse apply, which makes the system as files declare it, and gatehouse export, which writes such a file. */
export function declarationCommands(program: Command, deps: CommandDeps): void {
  const { environment, terminal } = deps
  const add = adderTo(program, deps)
  const apply = add(
    'apply',
    'create and update clients, resource servers, organizations and connections, so that they are as files declare them',
    async (api) => {
      const { file = [], variable: allowed = [], prune, dryRun, yes } = apply.opts<ApplyOptions>()
      if (file.length === 0) throw new CommandFailure('Name a file with -f.', exitCodes.usage)
      const declaration = await readDeclaration(file, { environment, allowed }, terminal)
      const { profile } = await deps.place()
      const own = [clientIdOf(environment), profile?.clientId]
      const steps = await planOf(declaration, api, { prune, own })
      const plan = [...steps.map(stepText), summaryOf(steps)].join('\n')
      if (dryRun || steps.length === 0) return { json: { steps: steps.map(stepJson) }, text: plan }
      if (!yes) {
        terminal.errors.write(`${plan}\n\n`)
        await confirm('This changes the running system.', terminal)
      }
      return perform(steps, api)
    },
  )
  apply
    .addOption(
      repeated('-f, --file <file>', 'a file in YAML or JSON, or - for the standard input; may be repeated'),
    )
    .addOption(
      repeated(
        '--variable <name>',
        'a variable of the environment that the files may read, besides those that begin with GATEHOUSE_; may be repeated',
      ),
    )
    .option(
      '--prune',
      'delete the clients and resource servers that administrators created and no file declares',
      false,
    )
    .option('--dry-run', 'show what would be done, and do nothing', false)
    .option('--yes', 'do not ask for confirmation', false)

  add(
    'export',
    'write the clients and resource servers that administrators created, the organizations, and the connections without their secrets, for apply',
    async (api) => {
      const json = Object.fromEntries(
        await Promise.all(
          kinds.map(async (kind) => [
            kind.section,
            (await kind.list(api)).map((item) => withoutVariables(declared(kind, item))),
          ]),
        ),
      )
      return { json, text: stringify(json).trimEnd() }
    },
  )
}

type ApplyOptions = { file?: string[]; variable?: string[]; prune: boolean; dryRun: boolean; yes: boolean }

/** @param own the clients as which the command and its user log in, which it does not delete */
async function planOf(
  declaration: Declaration,
  api: Api,
  { prune, own }: { prune: boolean; own: readonly (string | undefined)[] },
): Promise<Step[]> {
  const steps: Step[] = []
  const later: Step[] = []
  let deletions: Step[] = []
  for (const kind of kinds) {
    const items = declaration.get(kind) ?? []
    for (const fields of items) {
      const found = stepsFor(kind, fields, await kind.find(api, String(fields[kind.key]), fields))
      steps.push(...found.steps)
      later.push(...found.later)
    }
    if (!prune || kind.kept) continue
    const kept = new Set([...own, ...items.map((fields) => fields[kind.key])])
    const rest = (await kind.list(api)).filter((existing) => !kept.has(existing[kind.key] as string))
    const ends = rest.map((existing): Step => {
      return { kind, key: String(existing[kind.key]), action: 'delete', existing }
    })
    // In the other order: a resource server may name a client.
    deletions = [...ends, ...deletions]
  }
  return [...steps, ...later, ...deletions]
}

/**
 * Does all steps, one after the other. One that fails keeps no other from being done, nor hides the secret of a client that was made.
 */
async function perform(steps: readonly Step[], api: Api): Promise<Output> {
  const lines: string[] = []
  const faults: string[] = []
  const results: object[] = []
  for (const step of steps) {
    const name = `${step.kind.name} ${step.key}`
    const secretField: { client_secret?: string } = {}
    const fail = (what: string, error: unknown) => {
      const { message } = error as Error
      faults.push(`Could not ${what} ${name}: ${message}`)
      results.push({ ...stepJson(step), ...secretField, done: false, error: message })
    }
    try {
      if (step.action === 'delete') await step.kind.delete(api, step.existing)
      else if (step.action === 'update') await step.kind.update(api, step.existing, step.body)
      else {
        const { client_secret: secret } = await step.kind.create(api, step.body)
        if (secret) secretField.client_secret = secret
      }
    } catch (error) {
      fail(step.action, error)
      continue
    }
    const note = secretField.client_secret
      ? ` Secret (it is not shown again): ${secretField.client_secret}`
      : ''
    lines.push(`${done[step.action]} ${name}.${note}`)
    try {
      if (step.action === 'create') await finish(step, api)
      results.push({ ...stepJson(step), ...secretField, done: true })
    } catch (error) {
      fail('finish', error)
    }
  }
  const failure = faults.length > 0 ? { failure: faults.join('\n') } : {}
  return { json: { steps: results }, text: lines.join('\n'), ...failure }
}

const done = { create: 'Created', update: 'Updated', delete: 'Deleted' }

/** Sets what a new object cannot be created with. */
async function finish(
  { kind, body, afterwards }: Extract<Step, { action: 'create' }>,
  api: Api,
): Promise<void> {
  if (Object.keys(afterwards).length === 0) return
  const created = await kind.find(api, String(body[kind.key]), body)
  if (created) await kind.update(api, created, afterwards)
}

function stepJson(step: Step): object {
  const { action, kind, key } = step
  return { action, kind: kind.section, key, ...(action === 'update' && { differences: step.differences }) }
}

function summaryOf(steps: readonly Step[]): string {
  if (steps.length === 0) return 'Everything is as declared.'
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length
  return `${count('create')} to create, ${count('update')} to update, ${count('delete')} to delete.`
}

/** An object as a file declares it: without fields that are as they would be without them. */
function declared(kind: Kind, existing: Fields): Fields {
  const key = { [kind.key]: existing[kind.key] }
  const fields = Object.entries(kind.fields).flatMap(([name, rule]) => {
    const value = existing[name]
    const isDefault = value === undefined || JSON.stringify(value) === JSON.stringify(rule.absent?.(key))
    return isDefault ? [] : [[name, value]]
  })
  return { ...key, ...Object.fromEntries(fields) }
}
