import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MachineFacts, machineFacts } from '../../bench/src/machine.ts'
import { rootDirectory } from '../../bench/src/repository.ts'
import { createAsk } from './asking.ts'
import { arrivedEvents, audit } from './audit.ts'
import type { Crew } from './callers.ts'
import { type Check, checkAnswers, checkFaults } from './checks.ts'
import { createDatabase, type Database } from './database.ts'
import { type Fault, isReady } from './faults.ts'
import { harm } from './harm.ts'
import { checkHistory, rules, sizesOf } from './history/check.ts'
import type { Finding } from './history/operation.ts'
import { operationOf, type Recorder, readHistory, recordHistory } from './history/record.ts'
import { createJournal, type Journal } from './journal.ts'
import { createLedger } from './ledger.ts'
import { type Load, startLoad } from './load.ts'
import { checkLogs, type LogFacts, piecesOf, readLogs } from './logs.ts'
import { type Growth, growthOf, watchMemory } from './memory.ts'
import { checkMemory } from './memory-check.ts'
import type { Options } from './options.ts'
import { plantInDatabase, plants } from './plants.ts'
import { createRandom } from './random.ts'
import { startWorld, type World } from './world.ts'

/** A process's warm-up, in milliseconds. */
const warmUpMs = 5 * 60_000
/** How long a process must live after that, in milliseconds. In less time, a single collection decides the slope. */
const shortestMs = 12 * 60_000

/** What a run found. */
export type Results = {
  date: string
  machine: MachineFacts
  postgresql: string
  redis: string
  minutes: number
  seed: number
  accessTokenTtl: number
  journal: Journal
  faults: readonly Fault[]
  /** Those of the history among them. */
  checks: readonly Check[]
  findings: readonly Finding[]
  /** How many operations of each kind the history has. */
  sizes: Readonly<Record<string, number>>
  growths: readonly Growth[]
  requestsAnHour: number
  errors: LogFacts['errors']
  /** The history's clock when the load began, in milliseconds. */
  began: number
}

/**
 * Puts a load and faults on a real system, and looks at what its clients heard.
 * @param options.plant a fault that is put into the system
 * @param tell called with lines for people
 * @throws ProofFailure when the system cannot be started
 */
export async function runProof(
  options: Options,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<Results> {
  const machine = machineFacts()
  const date = `${new Date().toISOString().slice(0, 19)}Z`
  const plant = options.plant === undefined ? undefined : plants[options.plant]
  tell(`${options.plant ?? 'proof'}: ${options.minutes} minutes, seed ${options.seed}`)
  await using stack = new AsyncDisposableStack()
  const ends: { name: string; at: number }[] = []
  const onCrash = (name: string) => void ends.push({ name, at: Date.now() })
  const world = await startWorld({ ...options, stack, tell, onCrash, signal })
  if (plant) await plantInDatabase(plant, world)
  const database = createDatabase(world.postgres.url)
  const [ledger, journal] = [createLedger(), createJournal()]
  const ended = new AbortController()
  const historyFile = placeOfHistory()
  const recorder = recordHistory(historyFile)
  const record: Parameters<typeof createAsk>[1]['record'] = (...one) => recorder.note(operationOf(...one))
  const crew: Crew = {
    world,
    ledger,
    journal,
    random: createRandom(options.seed ^ 0x5f3759df),
    signal: AbortSignal.any([ended.signal, signal]),
    askFrom: (address) => createAsk(address, { ...world, journal, record }),
    note: recorder.note,
  }
  const stopWatching = watchMemory(world)
  const load = await startLoad(crew)
  signal.throwIfAborted()
  await sleep(options.quick ? 500 : 3_000)
  const connections = await database.connections()
  const running = load.run()
  const [began, historyBegan] = [Date.now(), performance.now()]
  const faults: Fault[] = []
  const minutely = tellMinutely({ journal, faults, tell, began })
  stack.defer(() => clearInterval(minutely))
  await harm(world, { ...options, first: plant?.first, began, faults, isWell: load.isWell, signal, tell })
  clearInterval(minutely)
  ended.abort()
  await running
  signal.throwIfAborted()
  const requestsAnHour = (journal.requests() / (Date.now() - began)) * 3_600_000
  tell(`the load has ended: ${journal.requests()} requests, ${faults.length} faults; checking the results`)
  await untilAllServe(world, load.isWell)
  // By then the longest request has ended, and released connections are closed.
  if (!options.quick) await sleep(32_000)
  const growths = stopWatching()
    .flatMap((life) => growthOf(life, warmUpMs, shortestMs) ?? [])
    .sort((a, b) => a.name.localeCompare(b.name))
  const checks: Check[] = await audit(crew, {
    ask: crew.askFrom('192.0.2.200'),
    database,
    connections,
    clients: load.clients,
  }).catch((error) => [{ name: 'everything could be looked at', checked: 0, failures: [String(error)] }])
  await endHistory(recorder, world, database)
  const history = readHistory(historyFile)
  const findings = checkHistory(history)
  const confidential = confidentialValues(crew)
  const logs = await readLogs(join(world.directory, 'logs'), piecesOf(confidential))
  checks.push(
    ...checksOfHistory(findings, history.operations.length),
    ...checkAnswers(journal, faults),
    ...checkFaults(faults, ends),
    { name: 'no worker of the load gave up', checked: load.workers, failures: load.failures },
    ...(options.quick ? [] : [checkMemory(growths, requestsAnHour)]),
    ...checkLogs(logs, faults, confidential.length),
  )
  const versions = await world.redis.ask('INFO server')
  const redis = versions.find((line) => line.startsWith('redis_version:'))?.split(':')[1] ?? ''
  return {
    ...{ date, machine, postgresql: await database.version(), redis },
    ...{ minutes: options.minutes, seed: options.seed, accessTokenTtl: world.accessTokenTtl },
    ...{ journal, faults, checks, findings, sizes: sizesOf(history), growths, requestsAnHour },
    ...{ errors: logs.errors, began: historyBegan },
  }
}

/** The file of the last history. */
function placeOfHistory(): string {
  const directory = join(rootDirectory, '.gatehouse', 'proof')
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  return join(directory, 'history.jsonl')
}

async function endHistory(recorder: Recorder, { redis }: World, database: Database): Promise<void> {
  recorder.end({ delivered: [...(await arrivedEvents(redis.url))], audited: await database.audited() })
}

/** A check for each rule of the history. */
function checksOfHistory(findings: readonly Finding[], operations: number): Check[] {
  return Object.keys(rules).map((name) => ({
    name,
    checked: operations,
    failures: findings.filter(({ rule }) => rule === name).map(({ text }) => text),
  }))
}

function confidentialValues({ world, ledger }: Pick<Crew, 'world' | 'ledger'>): string[] {
  return [
    ...world.secrets,
    ...ledger.confidential,
    ...ledger.issued.map(({ token }) => token),
    ...ledger.grants.flatMap(({ refreshTokens }) => refreshTokens),
  ]
}

function tellMinutely(deps: {
  journal: Journal
  faults: readonly Fault[]
  tell: (text: string) => void
  began: number
}): NodeJS.Timeout {
  const { journal, faults, tell, began } = deps
  let told = 0
  return setInterval(() => {
    tell(
      `${((Date.now() - began) / 60_000).toFixed(0)} min: ${journal.requests()} requests, ${faults.length} faults, ` +
        `${journal.unavailable.length} times 503, ${journal.cuts.length} cut, ${journal.problems.length} unexpected`,
    )
    // Shown while it runs, for somebody who ends the run early.
    for (const { what, kind, status, error } of journal.problems.slice(told, told + 5))
      tell(`  ${what}: ${kind} ${status} ${error}`)
    told = journal.problems.length
  }, 60_000)
}

async function untilAllServe(world: World, isWell: Load['isWell']): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const ready = await Promise.all(world.members.map(isReady))
    if (ready.every(Boolean) && (await isWell('postgresql', 'a')) && (await isWell('gateway', 'b'))) return
    await sleep(250)
  }
}
