import { existsSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { adminVariables } from './admin-pages.ts'
import { runAlgorithmRounds } from './algorithms.ts'
import { type BesideDeps, summarizeBeside } from './beside/beside.ts'
import {
  ingestedPerSecond,
  renderAlgorithm,
  renderCheckout,
  renderEvents,
  renderTracing,
} from './beside/beside-report.ts'
import { runCheckoutRounds } from './beside/checkout.ts'
import { leastInFlood, runOverloadRounds, summarizeOverload } from './beside/overload.ts'
import { renderOverload } from './beside/overload-report.ts'
import { openDatabase } from './durability.ts'
import { leastIngested, leastWithEvents, runEventsRounds } from './events.ts'
import { BenchFailure } from './failure.ts'
import { type Gatehouse, makeDirectory, startGatehouse } from './gatehouse.ts'
import { closeConnections } from './http.ts'
import { areLimitsKept, runLimits } from './limits/limits.ts'
import { renderLimits } from './limits/limits-report.ts'
import { loginVariables } from './logins/login.ts'
import { renderLogins } from './logins/login-report.ts'
import { runLoginRounds } from './logins/login-rounds.ts'
import { machineFacts } from './measuring/machine.ts'
import { type Profiles, prepareProfiles } from './measuring/profile.ts'
import { readProfile, renderProfileSummary, summarizeProfiles } from './measuring/profile-summary.ts'
import type { Options } from './options.ts'
import { renderOpenid, runOpenidRounds } from './peers/openid.ts'
import { startRival } from './peers/rivals.ts'
import { renderReport } from './report.ts'
import { rootDirectory } from './repository.ts'
import { type Found, writeResults } from './results-file.ts'
import { runRounds } from './rounds.ts'
import { gatehouseSubject, rivalSubject } from './subjects.ts'
import { areSizesWithinBounds, runTableSizes } from './tables/table-size.ts'
import { renderUserGrants, runUserGrantsRounds } from './tables/user-grants.ts'
import { leastWithTracing, runTracingRounds } from './tracing.ts'
import { prepareWrk } from './wrk.ts'

/**
 * Starts everything, measures it, and prints and stores the results.
 * @param signal stops the benchmark
 * @returns whether Gatehouse is within its bounds: its throughput with many stored tokens, with tracing, with events and in a
 *   flood, the time of administrators' pages with many tokens, and that of lists and logins with many organizations
 * @throws BenchFailure when the measurement is invalid
 */
export async function runBench(options: Options, signal: AbortSignal): Promise<boolean> {
  if (process.platform !== 'linux') throw new BenchFailure('The benchmark reads /proc: run it on Linux')
  const machine = machineFacts()
  const wrk = await prepareWrk()
  const date = `${new Date().toISOString().slice(0, 19)}Z`
  await using stack = new AsyncDisposableStack()
  const directory = await makeDirectory()
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const logs = keepLogs(directory, stack, signal)
  stack.defer(closeConnections)
  const profiles = options.profile.length > 0 ? prepareProfiles(options.profile, directory, date) : undefined

  tell('starting the system …')
  const start = {
    stack,
    signal,
    tell,
    ...(profiles && { entry: profiles.entry }),
    variables: {
      ...(options.logins && loginVariables),
      ...(options.tableRows.length > 0 && adminVariables),
    },
  }
  const gatehouse = await startGatehouse({ ...start, directory })
  const database = await openDatabase(gatehouse.system.databaseUrl, stack)
  const subjects = [gatehouseSubject(gatehouse), ...(await startRivals(options, gatehouse, stack))]
  const around = profiles && aroundOf(profiles, gatehouse.system)
  const deps = { options, database, directory, signal, tell, ...(around && { around }) }

  const series = await runRounds({ ...deps, subjects })
  const logins = options.logins ? await runLoginRounds({ ...deps, gatehouse }) : undefined
  const grants = options.grants ? await runUserGrantsRounds({ ...besideDeps(), options }) : undefined
  const openid = options.openid ? await runOpenidRounds({ ...besideDeps(), options }) : undefined
  const tracing = options.tracing ? await runTracingRounds(besideDeps()) : undefined
  const events = options.events ? await runEventsRounds(besideDeps()) : undefined
  const overload = options.overload ? await runOverloadRounds(besideDeps()) : undefined
  const limits = options.limits ? await runLimits({ ...besideDeps(), options }) : undefined
  gatehouse.checkAlive()
  logs.forget()

  const algorithms = await runAlgorithmRounds(besideDeps(), options.algorithms)
  const checkout = options.checkout
    ? await runCheckoutRounds(besideDeps(), options.checkout.directory, options.checkout.phases)
    : []
  // The last, because the system with many tokens runs beside what is measured after it.
  const sizes = options.tableRows.length > 0 ? await runTableSizes({ ...besideDeps(), options }) : []
  gatehouse.checkAlive()
  logs.forget()

  const found = {
    series,
    sizes,
    logins,
    grants,
    openid,
    tracing,
    events,
    overload,
    limits,
    algorithms,
    checkout,
  }
  report(found)
  if (profiles) reportProfiles(options, profiles)
  if (!profiles || options.out !== undefined) {
    const findings = { date, machine, wrk, postgresql: database.facts, options, found }
    process.stdout.write(`  Written to ${writeResults(findings)}\n`)
  }
  return isWithinBounds(found)

  function besideDeps(): BesideDeps {
    // Only one system is profiled: the first one, if another part is measured too.
    const alone = profiles && options.phases.length === 0 && !options.logins
    const profiled = alone && {
      profiled: (system: Gatehouse['system']) => aroundOf(profiles, system),
    }
    return { options, database, signal, gatehouse, directory, start, ...profiled }
  }
}

function report(found: Found): void {
  process.stdout.write(renderReport(found.series, found.sizes))
  if (found.logins) process.stdout.write(renderLogins(found.logins))
  if (found.grants) process.stdout.write(renderUserGrants(found.grants))
  if (found.openid) process.stdout.write(renderOpenid(found.openid))
  if (found.tracing) process.stdout.write(renderTracing(found.tracing))
  if (found.events) process.stdout.write(renderEvents(found.events))
  if (found.overload) process.stdout.write(renderOverload(found.overload))
  if (found.limits) process.stdout.write(renderLimits(found.limits))
  for (const result of found.algorithms) process.stdout.write(renderAlgorithm(result))
  for (const result of found.checkout) process.stdout.write(renderCheckout(result))
}

function isWithinBounds({ sizes, tracing, events, overload, limits }: Found): boolean {
  const bounds = [
    tracing === undefined || summarizeBeside(tracing.rounds).ratio >= leastWithTracing,
    areSizesWithinBounds(sizes),
    events === undefined || summarizeBeside(events.rounds).ratio >= leastWithEvents,
    events === undefined || ingestedPerSecond(events.ingest) >= leastIngested,
    overload === undefined || summarizeOverload(overload).ratio >= leastInFlood,
    limits === undefined || areLimitsKept(limits),
  ]
  return !bounds.includes(false)
}

function aroundOf(profiles: Profiles, system: Gatehouse['system']) {
  return { begin: (label: string) => profiles.begin(system, label), end: () => profiles.end(system) }
}

/** Keeps the services' logs if the benchmark fails. The stack must stop the services first. */
function keepLogs(directory: string, stack: AsyncDisposableStack, signal: AbortSignal): { forget(): void } {
  let wanted = true
  stack.defer(() => {
    const logs = join(directory, 'data', 'logs')
    if (!wanted || signal.aborted || !existsSync(logs)) return
    const kept = join(rootDirectory, '.gatehouse', 'bench-logs')
    rmSync(kept, { recursive: true, force: true })
    renameSync(logs, kept)
    tell(`the services’ logs are kept in ${relative(rootDirectory, kept)}`)
  })
  return {
    forget() {
      wanted = false
    },
  }
}

async function startRivals(
  options: Options,
  { credentials, answers }: Gatehouse,
  stack: AsyncDisposableStack,
) {
  const rivals = options.rivals.map(async (name) =>
    rivalSubject(name, await startRival(name, { credentials, answers }, stack), credentials),
  )
  return Promise.all(rivals)
}

function reportProfiles({ profileSummary }: Options, { files, folder }: Profiles): void {
  if (profileSummary) {
    const kinds = new Set(files.map(({ process, label }) => `${process}, ${label.replace(/-\d+$/, '')}`))
    for (const kind of kinds) {
      const same = files.filter(({ process, label }) => `${process}, ${label.replace(/-\d+$/, '')}` === kind)
      const summary = summarizeProfiles(same.map(({ file }) => readProfile(file)))
      process.stdout.write(renderProfileSummary(kind, summary))
    }
  }
  process.stdout.write(
    `  Profiles are in ${folder}; profiling slows the processes, so the numbers are too low.\n`,
  )
}

function tell(line: string): void {
  process.stderr.write(`  ${new Date().toTimeString().slice(0, 8)}  ${line}\n`)
}
