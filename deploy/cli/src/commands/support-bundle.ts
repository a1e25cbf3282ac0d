import { hostname, release, totalmem } from 'node:os'
import { fileVariableOf } from '@gatehouse/kit/config/secret-file'
import { version } from '@gatehouse/kit/release'
import { variableNames } from '@gatehouse/proto/variable-names'
import type { Command } from 'commander'
import { type Api, dataOf } from '../api.ts'
import type { CommandDeps } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { createFile } from '../new-file.ts'

/** A part of a bundle, from the API. Each leaves out people, clients and addresses of callers. */
type Part = (api: Api) => Promise<unknown>

/** The largest page of a list, and the smallest, which has the total, too. */
const newest = { params: { query: { limit: 200 } } }
const fewest = { params: { query: { limit: 1 } } }
/** In milliseconds. */
const day = 86_400_000

const parts: Record<string, Part> = {
  status: (api) => dataOf(api.GET('/admin/api/status')),
  health: async (api) => {
    const { data, error, response } = await api.GET('/health')
    return { status: response.status, answer: data ?? error }
  },
  metadata: (api) => dataOf(api.GET('/.well-known/oauth-authorization-server')),
  keys: async (api) => {
    const { items } = await dataOf(api.GET('/admin/api/keys'))
    return items.map(({ algorithm, state, created_at, signs }) => ({ algorithm, state, created_at, signs }))
  },
  rate_limits: async (api) => {
    const { items, ...limits } = await dataOf(api.GET('/admin/api/rate-limits'))
    return { ...limits, over_a_limit: items.length }
  },
  event_backends: async (api) => (await dataOf(api.GET('/admin/api/event-backends'))).items,
  webhook_deliveries: async (api) => {
    const { items } = await dataOf(api.GET('/admin/api/webhook-deliveries', newest))
    return counted(items, ({ event_type, state, status }) => `${event_type} ${state} ${status ?? ''}`)
  },
  mails: async (api) =>
    counted(
      (await dataOf(api.GET('/admin/api/mails', newest))).items,
      ({ kind, state }) => `${kind} ${state}`,
    ),
  client_authentication_failures: async (api) => {
    const { items } = await dataOf(api.GET('/admin/api/client-authentication-failures', newest))
    return counted(items, ({ endpoint, reason }) => `${endpoint} ${reason}`)
  },
  usage_by_hour: async (api) => {
    const since = new Date(Date.now() - day).toISOString()
    return (await dataOf(api.GET('/admin/api/usage', { params: { query: { since, step: 'hour' } } }))).items
  },
  totals: async (api) => ({
    clients: (await dataOf(api.GET('/admin/api/clients', fewest))).total,
    resources: (await dataOf(api.GET('/admin/api/resources', fewest))).total,
    users: (await dataOf(api.GET('/admin/api/users', fewest))).total,
  }),
  metrics: async (api) => {
    const { data, response } = await api.GET('/metrics', { parseAs: 'text' })
    if (data === undefined) throw new CommandFailure(`The answer to /metrics is ${response.status}.`)
    return data.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  },
}

/** gatehouse support-bundle */
export function supportBundleCommand(program: Command, deps: CommandDeps): void {
  const { connect, environment, terminal } = deps
  program
    .command('support-bundle')
    .description(
      'write a file for a support case: state, settings, counts and metrics, without secrets, people and clients',
    )
    .option('--file <file>', 'the file; - for the standard output', 'gatehouse-support.json')
    .action(async ({ file }: { file: string }) => {
      const failures: Record<string, string> = {}
      const trying = async <Result>(name: string, work: () => Promise<Result>) => {
        try {
          return await work()
        } catch (error) {
          // A system that does not answer is the reason for most bundles.
          if (!(error instanceof CommandFailure)) throw error
          failures[name] = error.message
          return undefined
        }
      }
      const answers: Record<string, unknown> = {}
      const connection = await trying('api', connect)
      if (connection !== undefined) {
        for (const [name, part] of Object.entries(parts))
          answers[name] = await trying(name, () => part(connection.api))
        await trying('logout', connection.close)
      }
      const bundle = {
        made_at: new Date(),
        ...here(),
        failures,
        settings: settingsOf(environment),
        ...answers,
      }
      const text = `${withoutSecrets(JSON.stringify(bundle, undefined, 2), environment)}\n`
      if (file === '-') {
        terminal.output.write(text)
        return
      }
      const { write, close } = await createFile(file)
      await write(text)
      await close()
      const missing = Object.entries(failures).map(([name, why]) => `\nwithout ${name}: ${why}`)
      terminal.output.write(`${file} is written. Read it before you send it.${missing.join('')}\n`)
    })
}

function here() {
  const { node } = process.versions
  return {
    command_line: { version, node, system: `${process.platform} ${release()} ${process.arch}` },
    machine: { name: hostname(), memory_in_bytes: totalmem() },
  }
}

function counted<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) {
    const key = keyOf(item).trim()
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

type Environment = Record<string, string | undefined>

const known = new Set(variableNames)
const isSecret = (name: string) =>
  known.has(fileVariableOf(name)) || /^GATEHOUSE_(?!URL$|PROFILE$)/.test(name)

/** The settings of the process in whose pod the command runs; a secret one is only said to be set. */
function settingsOf(environment: Environment): Environment {
  const own = Object.entries(environment).filter(([name]) => known.has(name) || name === 'LOG_LEVEL')
  return Object.fromEntries(own.map(([name, value]) => [name, isSecret(name) ? 'set' : value]).sort())
}

/** Removes the values of secret variables from a text, wherever a setting or an answer has one. */
function withoutSecrets(text: string, environment: Environment): string {
  return Object.entries(environment)
    .filter(([name, value]) => isSecret(name) && value !== undefined && value.length >= 8)
    .reduce((rest, [, value]) => rest.replaceAll(JSON.stringify(value).slice(1, -1), '[secret]'), text)
}
