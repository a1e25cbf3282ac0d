import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineFacts } from '../../bench/src/machine.ts'
import { createAsk } from './asking.ts'
import { audit } from './audit.ts'
import type { Crew } from './callers.ts'
import { type Check, checkAnswers, checkFaults } from './checks.ts'
import { createDatabase } from './database.ts'
import { doHarm, drawFaults, type Fault, isReady } from './faults.ts'
import { createJournal } from './journal.ts'
import { createLedger } from './ledger.ts'
import { startLoad } from './load.ts'
import { checkLogs, piecesOf, readLogs } from './logs.ts'
import { growthOf, watchMemory } from './memory.ts'
import { checkMemory } from './memory-check.ts'
import type { Options } from './options.ts'
import { createRandom } from './random.ts'
import { passed, writeReport } from './report.ts'
import type { Wellness } from './wellness.ts'
import { startWorld, type World } from './world.ts'

/** How long the system runs under load before the first fault, and after the last one, in milliseconds. */
const calmMs = 10_000
/** The part of a run in which replica b may be stopped or killed. */
const dangerForB = 0.4
/** A process's warm-up, in milliseconds. */
const warmUpMs = 5 * 60_000
/** How long a process must live after that, in milliseconds. In less time, a single collection decides the slope. */
const shortestMs = 12 * 60_000

/** Runs a soak and writes its report. @returns whether all checks passed */
export async function runSoak(options: Options, signal: AbortSignal): Promise<boolean> {
  const machine = machineFacts()
  const date = `${new Date().toISOString().slice(0, 19)}Z`
  const tell = (text: string) => process.stdout.write(`${text}\n`)
  tell(`soak of ${options.minutes} minutes, seed ${options.seed}`)
  await using stack = new AsyncDisposableStack()
  const ends: { name: string; at: number }[] = []
  const onCrash = (name: string) => void ends.push({ name, at: Date.now() })
  const world = await startWorld({ ...options, stack, tell, onCrash, signal })
  const database = createDatabase(world.postgres.url)
  const [ledger, journal] = [createLedger(), createJournal()]
  const ended = new AbortController()
  const crew: Crew = {
    world,
    ledger,
    journal,
    random: createRandom(options.seed ^ 0x5f3759df),
    signal: AbortSignal.any([ended.signal, signal]),
    askFrom: (address) => createAsk(address, { ...world, journal }),
  }
  const stopWatching = watchMemory(world)
  const load = await startLoad(crew)
  signal.throwIfAborted()
  await sleep(3_000)
  const connections = await database.connections()
  const running = load.run()

  const began = Date.now()
  const faults: Fault[] = []
  let told = 0
  const minutely = setInterval(() => {
    const kinds = [...journal.counts].map(([, counts]) => [...counts.values()].reduce((a, b) => a + b, 0))
    tell(
      `${((Date.now() - began) / 60_000).toFixed(0)} min: ${kinds.reduce((a, b) => a + b, 0)} requests, ` +
        `${ledger.issued.length} tokens, ${ledger.events.length} events, ${faults.length} faults, ` +
        `${journal.unavailable.length} times 503, ${journal.cuts.length} cut, ${journal.problems.length} unexpected`,
    )
    // Shown while it runs, for somebody who ends the run early.
    for (const { what, kind, status, error } of journal.problems.slice(told, told + 5))
      tell(`  ${what}: ${kind} ${status} ${error}`)
    told = journal.problems.length
  }, 60_000)
  stack.defer(() => clearInterval(minutely))
  await harm(world, { ...options, began, faults, isWell: load.isWell, signal, tell })
  clearInterval(minutely)
  ended.abort()
  await running
  signal.throwIfAborted()
  const requestsAnHour = (journal.requests() / (Date.now() - began)) * 3_600_000
  tell(`the load has ended: ${journal.requests()} requests; checking the results`)
  await untilAllServe(world, load.isWell)
  // By then the longest request has ended, and released connections are closed.
  await sleep(32_000)
  const growths = stopWatching()
    .flatMap((life) => growthOf(life, warmUpMs, shortestMs) ?? [])
    .sort((a, b) => a.name.localeCompare(b.name))
  const ask = crew.askFrom('192.0.2.200')
  const checks: Check[] = await audit(crew, { ask, database, connections, clients: load.clients }).catch(
    (error) => [{ name: 'everything could be looked at', checked: 0, failures: [String(error)] }],
  )
  const confidential = [
    ...world.secrets,
    ...ledger.confidential,
    ...ledger.issued.map(({ token }) => token),
    ...ledger.grants.flatMap(({ refreshTokens }) => refreshTokens),
  ]
  const logs = await readLogs(join(world.directory, 'logs'), piecesOf(confidential))
  checks.push(
    ...checkAnswers(journal, faults),
    ...checkFaults(faults, ends),
    { name: 'no worker of the load gave up', checked: load.workers, failures: load.failures },
    checkMemory(growths, requestsAnHour),
    ...checkLogs(logs, faults, confidential.length),
  )
  const versions = await world.redis.ask('INFO server')
  const redis = versions.find((line) => line.startsWith('redis_version:'))?.split(':')[1] ?? ''
  const postgresql = await database.version()
  const facts = { date, machine, postgresql, redis, ...options, accessTokenTtl: world.accessTokenTtl }
  const file = writeReport(
    { ...facts, journal, faults, checks, growths, requestsAnHour, errors: logs.errors },
    options.out,
  )
  for (const { name, checked, failures } of checks) {
    tell(`${failures.length === 0 ? 'good ' : 'WRONG'}  ${name} (${checked})`)
    for (const failure of failures.slice(0, 10)) tell(`       ${failure}`)
  }
  tell(`the report is in ${file}`)
  return passed(checks)
}

async function harm(
  world: World,
  options: Options & {
    began: number
    faults: Fault[]
    isWell: Wellness
    signal: AbortSignal
    tell: (line: string) => void
  },
): Promise<void> {
  const { began, minutes, faults, isWell, signal, tell } = options
  const length = minutes * 60_000
  const elapsed = () => Date.now() - began
  const plans = drawFaults(createRandom(options.seed), () => elapsed() > length * dangerForB)
  const pause = (ms: number) => sleep(ms, undefined, { signal })
  await pause(calmMs)
  // A fault lasts at most 7 s, and the recovery takes a little longer.
  while (elapsed() < length - calmMs - 10_000) {
    const plan = plans.next().value
    const since = Date.now()
    const fault = await doHarm(plan, world, isWell).catch((error): Fault => {
      tell(`${plan.target}-${plan.replica} could not be ${plan.harm}: ${error}`)
      return { ...plan, began: since, over: Date.now(), recovery: undefined, ready: undefined }
    })
    faults.push(fault)
    if (fault.recovery === undefined || fault.ready === undefined) {
      tell(`${plan.target}-${plan.replica} was ${plan.harm} and does not recover`)
    }
    await pause(plan.pause)
  }
  await pause(Math.max(0, length - elapsed()))
}

async function untilAllServe(world: World, isWell: Wellness): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const ready = await Promise.all(world.members.map(isReady))
    if (ready.every(Boolean) && (await isWell('postgresql', 'a')) && (await isWell('gateway', 'b'))) return
    await sleep(250)
  }
}
