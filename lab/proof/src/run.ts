import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Check } from './checker/check.ts'
import { checkHistory } from './checker/history-check.ts'
import type { Fault } from './history/fault.ts'
import { readHistory, writeHistory } from './history/file.ts'
import { createAsk } from './load/asking.ts'
import type { Crew } from './load/callers.ts'
import type { HealthCheck } from './load/health-check.ts'
import { startLoad } from './load/load.ts'
import { createRecorder } from './load/recorder.ts'
import { createWallet } from './load/wallet.ts'
import { createRandom } from './random.ts'
import { hasClocks, longestJump } from './world/clocks.ts'
import { createDatabase } from './world/database.ts'
import { causeFaults, type FaultTiming } from './world/fault-timing.ts'
import { isReady } from './world/faults.ts'
import { observe, untilNothingWaits } from './world/final-state.ts'
import { checkLogs, piecesOf, readLogs } from './world/logs.ts'
import {
  checkConnections,
  checkFamilyRows,
  checkFaults,
  checkPartitions,
  checkQueues,
} from './world/state-checks.ts'
import type { World } from './world/world.ts'

/** The options of one run of load and faults. */
export type RunOptions = Omit<FaultTiming, 'isWell' | 'now' | 'until' | 'happened'> & {
  /** How long to wait at the end, in milliseconds, until released connections are closed; 0 does not look at them. */
  settleMs: number
  /** The most tokens that have expired, and the most families, about which is asked at the end. */
  most: { expired: number; families: number }
  /** The processes that ended, which `startWorld` reports. */
  ends: readonly { name: string; at: number }[]
  /** Statements to run when the load has begun. */
  statements?: readonly string[] | undefined
  /** The file of the history. */
  historyFile: string
}

/** The results of a run. */
export type RunResult = {
  checks: Check[]
  faults: readonly Fault[]
  operations: number
  counts: ReadonlyMap<string, ReadonlyMap<number, number>>
  /** How long the load lasted, in milliseconds. */
  loadMs: number
  /** The lines of level error in the logs, with their times. */
  errors: ReadonlyMap<string, readonly number[]>
}

/** Puts a load on a system, harms it, and checks the history. @throws Error when the load cannot be prepared */
export async function runOnce(options: RunOptions): Promise<RunResult> {
  const { world, lengthMs, seed, historyFile, signal, tell } = options
  const date = new Date()
  const writer = writeHistory(historyFile)
  writer.write({
    is: 'header',
    version: 1,
    date: date.toISOString(),
    seed,
    clockJump: hasClocks ? longestJump : 0,
  })
  const recorder = createRecorder(writer, performance.now())
  world.consumers.record(writer, recorder.now)
  const ended = new AbortController()
  const crew: Crew = {
    world,
    recorder,
    random: createRandom(seed ^ 0x5f3759df),
    wallet: createWallet(recorder),
    signal: AbortSignal.any([ended.signal, signal]),
    runName: date.getTime().toString(36),
    askFrom: (client, address) => createAsk(client, address, { ...world, recorder }),
  }
  const load = await startLoad(crew)
  signal.throwIfAborted()
  const database = createDatabase(world.postgres.url)
  await database.change(options.statements ?? [])
  await sleep(options.settleMs / 10)
  const connections = await database.connections()
  const began = recorder.now()
  const running = load.run()
  const faults: Fault[] = []
  const stopTelling = tellEachMinute(crew, faults, tell)
  try {
    await causeFaults({
      ...options,
      isWell: load.isWell,
      now: recorder.now,
      until: began + lengthMs,
      happened(fault) {
        faults.push(fault)
        writer.write({ is: 'fault', ...fault })
      },
    })
  } finally {
    stopTelling()
    ended.abort()
  }
  await running
  signal.throwIfAborted()
  const loadMs = recorder.now() - began
  tell(`the load has ended: ${recorder.requests()} requests, ${faults.length} faults; checking the results`)
  await untilAllServe(world, load.isWell)
  writer.write({ is: 'calm', at: recorder.now() })
  await untilNothingWaits(database)
  // The delivery of revocations has half a minute in the checks; the families are asked when it is over, if there is time.
  await sleep(options.settleMs)
  const waiting = await database.queues()
  const open = await database.connections()
  const failed: string[] = []
  const note = (error: unknown) => void failed.push(String(error))
  await load.final.tokens(options.most.expired).catch(note)
  await load.final.families(options.most.families).catch(note)
  await load.final.mailLinks().catch(note)
  const epoch = date.getTime()
  await observe({ world, database, writer, epoch }).catch(note)
  await writer.close()
  const secrets = [...world.secrets, ...recorder.secrets()]
  const logs = await readLogs(join(world.directory, 'logs'), piecesOf(secrets), epoch)
  const ends = options.ends.map(({ name, at }) => ({ name, at: at - epoch }))
  const checks: Check[] = [
    ...(await checkHistory(() => readHistory(historyFile))),
    checkFamilyRows(await database.families()),
    checkQueues(waiting),
    checkPartitions(await database.partitions(), Date.now()),
    ...(options.settleMs > 0 ? [checkConnections(connections, open)] : []),
    ...checkFaults(
      faults,
      ends.filter(({ at }) => at >= 0),
    ),
    {
      name: 'no worker of the load gave up, and every final question was answered',
      checked: load.workers,
      failures: [...load.failures, ...failed].map((text) => ({ text })),
    },
    ...checkLogs(logs, faults, secrets.length),
  ]
  const { counts } = recorder
  return { checks, faults, operations: recorder.requests(), counts, loadMs, errors: logs.errors }
}

/** Shows while it runs what is unexpected, for somebody who ends the run early. */
function tellEachMinute(crew: Crew, faults: readonly Fault[], tell: (line: string) => void): () => void {
  const { recorder } = crew
  let reported = 0
  const timer = setInterval(() => {
    const { unexpected } = recorder
    const minutes = (recorder.now() / 60_000).toFixed(0)
    tell(
      `${minutes} min: ${recorder.requests()} requests, ${faults.length} faults, ${unexpected.length} unexpected`,
    )
    for (const line of unexpected.slice(reported, reported + 5)) tell(`  ${line}`)
    reported = unexpected.length
  }, 60_000)
  return () => clearInterval(timer)
}

async function untilAllServe(world: World, isWell: HealthCheck): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const ready = await Promise.all(world.members.map(isReady))
    if (ready.every(Boolean) && (await isWell('postgresql', 'a')) && (await isWell('gateway', 'b'))) return
    await sleep(250)
  }
}
