import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { machineFacts } from '../../bench/src/measuring/machine.ts'
import { rootDirectory } from '../../bench/src/repository.ts'
import { measureAvailability } from './checker/availability.ts'
import type { Check } from './checker/check.ts'
import { readHistory } from './history/file.ts'
import type { Options } from './options.ts'
import type { Plant } from './plants/plants.ts'
import { writePage } from './report/page.ts'
import { tellChecks } from './report/verdict.ts'
import { runOnce } from './run.ts'
import { createDatabase } from './world/database.ts'
import { growthOf, readLives } from './world/memory.ts'
import { checkMemory } from './world/memory-check.ts'
import { startWorld } from './world/world.ts'

/** The mean time between two faults, in milliseconds: 1,000 an hour. */
const faultEveryMs = 3_600
/** How long the system runs under load before the first fault, and after the last one, in milliseconds. */
const calmMs = 10_000
/** The part of a run in which replica b may be stopped or killed. */
const dangerForB = 0.4
/** Released connections are closed by then, and the longest request has ended, in milliseconds. */
const settleMs = 32_000
/** A process's warm-up, in milliseconds. */
const warmUpMs = 5 * 60_000
/** How long a process must live after that, in milliseconds. In less time, a single collection decides the slope. */
const shortestMs = 12 * 60_000
/** In seconds: long enough to revoke tokens and find them inactive, and short enough for most to have expired at the end. */
const longestTtl = 900

/** Keeps the history and the measurements of the last run, because a finding without them cannot be explained. */
const keptDirectory = join(rootDirectory, '.gatehouse', 'proof')
const historyFile = join(keptDirectory, 'history.jsonl')

/** Runs the proof, with the planted defect that the options name, and writes the page if there is to be one. */
export async function prove(
  options: Pick<Options, 'minutes' | 'seed' | 'keep' | 'page'> & { plant?: Plant | undefined },
  { signal, tell }: { signal: AbortSignal; tell: (line: string) => void },
): Promise<{ checks: readonly Check[] }> {
  const { minutes, seed, plant, page } = options
  const machine = machineFacts()
  const date = new Date()
  tell(`proof of ${minutes} minutes, seed ${seed}${plant ? `, with the defect ${plant.name}` : ''}`)
  await using stack = new AsyncDisposableStack()
  const ends: { name: string; at: number }[] = []
  const onCrash = (name: string) => void ends.push({ name, at: Date.now() })
  const accessTokenTtl = Math.min(longestTtl, Math.max(300, Math.round(minutes * 30)))
  const world = await startWorld({ ...options, accessTokenTtl, stack, tell, onCrash, signal })
  rmSync(keptDirectory, { recursive: true, force: true })
  mkdirSync(keptDirectory, { recursive: true })
  const result = await runOnce({
    ...{ world, seed, historyFile, signal, tell, ends, faultEveryMs, calmMs, dangerForB },
    lengthMs: minutes * 60_000,
    settleMs: plant ? 0 : settleMs,
    most: { expired: 5_000, families: 300 },
    statements: plant?.statements,
    firstFaults: plant?.needs && [plant.needs],
  })
  const measured = join(world.directory, 'memory')
  cpSync(measured, join(keptDirectory, 'memory'), { recursive: true })
  const growths = readLives(measured)
    .flatMap((life) => growthOf(life, warmUpMs, shortestMs) ?? [])
    .sort((a, b) => a.name.localeCompare(b.name))
  const requestsAnHour = (result.operations / result.loadMs) * 3_600_000
  const checks = [...result.checks, checkMemory(growths, requestsAnHour)]
  tellChecks(checks, tell)
  tell(`the history is in ${relative('.', historyFile)}`)
  if (page !== undefined) {
    const versions = await world.redis.ask('INFO server')
    const file = writePage(page, {
      ...{ date, machine, minutes, seed, accessTokenTtl, growths, requestsAnHour },
      ...result,
      checks,
      redis: versions.find((line) => line.startsWith('redis_version:'))?.split(':')[1] ?? '',
      postgresql: await createDatabase(world.postgres.url).version(),
      availability: await measureAvailability(readHistory(historyFile)),
    })
    tell(`the page is ${file}`)
  }
  return { checks }
}
