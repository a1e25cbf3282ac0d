import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { makeDirectory } from '../gatehouse.ts'
import { closeConnections } from '../http.ts'
import { machineFacts } from '../measuring/machine.ts'
import type { Options } from '../options.ts'
import { table } from '../report.ts'
import { rootDirectory } from '../repository.ts'
import { rotate } from '../rounds.ts'
import { prepareWrk } from '../wrk.ts'
import type { ComparedResult, Comparison } from './comparison.ts'
import { measureServer } from './measure.ts'
import { medianFigures, writePage } from './page.ts'
import { type ComparedServer, steps } from './server.ts'
import { serversOf } from './table.ts'

/**
 * Measures Gatehouse and others one after the other, each with the machine for itself, in another order each round, and writes
 * docs/evidence/benchmark.md with the medians.
 * @throws BenchFailure when a server gave a wrong answer or did not start, twice
 */
export async function runComparison(options: Options, signal: AbortSignal): Promise<boolean> {
  if (options.pageFrom !== undefined) {
    writePage(JSON.parse(readFileSync(options.pageFrom, 'utf8')))
    return true
  }
  const began = performance.now()
  const { rounds, seconds, warmUpSeconds, connections } = options
  const settings = { rounds, seconds, warmUpSeconds, connections }
  const date = new Date().toISOString()
  const [machine, wrk] = [machineFacts(), await prepareWrk()]
  const compared: { server: ComparedServer; result: ComparedResult }[] = []
  for (const server of serversOf(options.against)) {
    const { title, setup, without = {} } = server
    const missing = await server.prepare(tell)
    if (missing !== undefined) tell(`${title} is left out: ${missing}`)
    const result = { title, version: '', setup, without, ...(missing && { missing }), rounds: [] }
    compared.push({ server, result })
  }
  const present = compared.filter(({ result }) => result.missing === undefined)
  for (let round = 0; round < rounds; round += 1) {
    for (const { server, result } of rotate(present, round)) {
      tell(`round ${round + 1} of ${rounds}: ${server.title} …`)
      const measure = () =>
        inOwnDirectory((directory, stack) =>
          measureServer(server, settings, { directory, stack, signal, tell }),
        )
      const { version, figures } = await measure().catch((error: Error) => {
        signal.throwIfAborted()
        // The machine may have been away for a moment. A fault of the server shows again.
        tell(`${server.title} is measured once more: ${error.message}`)
        return measure()
      })
      result.version = version
      result.rounds.push(figures)
    }
  }
  const minutes = (performance.now() - began) / 60_000
  const comparison: Comparison = {
    date,
    minutes,
    machine,
    wrk,
    settings,
    servers: compared.map(({ result }) => result),
  }
  const file = resolve(options.out ?? join(rootDirectory, '.gatehouse', 'bench', 'against.json'))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(comparison, undefined, 2)}\n`)
  process.stdout.write(`${renderComparison(comparison).join('\n')}\n\n`)
  writePage(comparison)
  process.stdout.write(`  Written to ${relative('.', file)} and docs/evidence/benchmark.md\n`)
  return true
}

async function inOwnDirectory<Result>(
  work: (directory: string, stack: AsyncDisposableStack) => Promise<Result>,
): Promise<Result> {
  await using stack = new AsyncDisposableStack()
  const directory = await makeDirectory()
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  stack.defer(closeConnections)
  return await work(directory, stack)
}

/** A comparison for people at a terminal. */
export function renderComparison({ servers }: Pick<Comparison, 'servers'>): string[] {
  const names = steps.map((step) => `${step}/s`)
  return table([
    ['medians', ...names],
    ...servers.map((server) => {
      const figures = medianFigures(server)
      return [server.title, ...steps.map((step) => figures[step]?.perSecond.toFixed(0) ?? '–')]
    }),
  ])
}

function tell(line: string): void {
  process.stderr.write(`  ${new Date().toTimeString().slice(0, 8)}  ${line}\n`)
}
