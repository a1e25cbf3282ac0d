import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pickPort } from '@gatehouse/local/ports'
import { stringify } from 'yaml'
import { program } from '../programs/programs.ts'

const prometheus = await program('prometheus')
const promtool = await program('promtool')

/** Whether tests with Prometheus can run on this machine. */
export const hasPrometheus = prometheus !== undefined && promtool !== undefined

/** The directory of the repository that a path in it is relative to. */
export const repository = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Runs promtool in the repository.
 * @param stdin its input
 * @returns its output, and whether it succeeded
 */
export function runPromtool(argv: string[], stdin = ''): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd: repository, encoding: 'utf8', maxBuffer: 64 << 20 } as const
    const child = execFile(promtool as string, argv, options, (error, stdout, stderr) =>
      resolve({ ok: !error, output: stdout + stderr }),
    )
    child.stdin?.end(stdin)
  })
}

/** One series of an answer: its labels, and its value at the requested time. */
export type Sample = { metric: Record<string, string>; value: number }

/** One rule, as Prometheus lists it. */
export type Rule = {
  name: string
  query: string
  type: 'alerting' | 'recording'
  health: string
  lastError?: string
}

/** A real Prometheus. */
export type TestPrometheus = {
  /** @throws Error with Prometheus' message for an invalid expression */
  query(expression: string): Promise<Sample[]>
  rules(): Promise<Rule[]>
  stop(): Promise<void>
}

/**
 * Starts a Prometheus that scrapes every second, with the rules of this repository. Two things differ: groups are evaluated every
 * second, and no alert waits before it fires.
 * @param targets the `host:port` of each process, by the name of its service
 */
export async function startPrometheus(targets: Record<string, string>): Promise<TestPrometheus> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-prometheus-'))
  const port = await pickPort()
  await mkdir(join(directory, 'rules'))
  const rules = join(repository, 'deploy/prometheus/rules')
  for (const file of await readdir(rules)) {
    const text = await readFile(join(rules, file), 'utf8')
    const hasty = text.replace(/^(\s+interval:).*$/gm, '$1 1s').replace(/^(\s+for:).*$/gm, '$1 0s')
    await writeFile(join(directory, 'rules', basename(file)), hasty)
  }
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules/*.yaml'],
    scrape_configs: [
      {
        job_name: 'gatehouse',
        static_configs: Object.entries(targets).map(([service, target]) => ({
          targets: [target],
          labels: { service },
        })),
      },
    ],
  }
  const file = join(directory, 'prometheus.yaml')
  await writeFile(file, stringify(config))
  const argv = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ]
  const child = spawn(prometheus as string, argv, { stdio: 'ignore' })

  async function ask(path: string): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    const { status, data, error } = (await response.json()) as Record<string, unknown>
    if (status !== 'success') throw new Error(`${error}`)
    return data
  }

  await untilItAnswers(child, `http://127.0.0.1:${port}/-/ready`)
  return {
    async query(expression) {
      const { resultType, result } = (await ask(`query?${new URLSearchParams({ query: expression })}`)) as {
        resultType: string
        result: { metric: Record<string, string>; value: [number, string] }[]
      }
      if (resultType !== 'vector') throw new Error(`${expression} gives no vector but a ${resultType}`)
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
    },
    async rules() {
      const { groups } = (await ask('rules')) as { groups: { rules: Rule[] }[] }
      return groups.flatMap((group) => group.rules)
    },
    async stop() {
      if (child.exitCode === null) {
        child.kill()
        await once(child, 'exit')
      }
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function untilItAnswers(child: ChildProcess, url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`)
    const response = await fetch(url).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('prometheus does not answer')
}
