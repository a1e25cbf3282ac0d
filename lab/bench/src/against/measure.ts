import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuOf, cycle, type Measured, measureCalls } from '../callers.ts'
import { BenchFailure } from '../failure.ts'
import { post } from '../http.ts'
import { parallelLogins } from '../logins/login-load.ts'
import { watch } from '../measuring/usage.ts'
import type { Options } from '../options.ts'
import { runWrk } from '../wrk.ts'
import type { ComparedServer, RunningServer, StartDeps, Step } from './server.ts'

/** The figures of one step in one round. Latencies in milliseconds, memory in bytes. */
export type StepFigures = {
  perSecond: number
  p50: number
  p99: number
  cpuMicroseconds: number
  memory: number
  /** The share of the machine that nobody used, and that of programs outside the benchmark. */
  idle: number
  others: number
}

/** The figures of one server in one round; a step that it has not is absent. */
export type RoundFigures = Partial<Record<Step, StepFigures>>

/** How many tokens are introspected in turn, and how many people are logged in. */
const tokens = 500
const sessions = 16

/** The measured values from which figures are made: wrk's latencies have no count. */
type Figured = Omit<Measured, 'latency'> & { latency: Pick<Measured['latency'], 'p50' | 'p99'> }

type Settings = Pick<Options, 'seconds' | 'warmUpSeconds' | 'connections'>

/**
 * Starts a server with an empty database, measures each step after it has worked for a while, and stops it.
 * @throws BenchFailure when it does not start, or an answer is wrong
 */
export async function measureServer(
  server: ComparedServer,
  settings: Settings,
  deps: StartDeps,
): Promise<{ version: string; figures: RoundFigures }> {
  const running = await server.start(deps)
  const warmUp = Math.max(settings.warmUpSeconds, server.warmUpSeconds ?? 0)
  const { signal } = deps
  const calls = { watched: running.watched, connections: settings.connections, signal }
  const figures: RoundFigures = {}

  const issue = running.issue
  const introspect = { url: running.introspect.url, forms: await introspectionForms(running) }
  for (const [step, url, forms] of [
    ['issue', issue.url, [issue.form]],
    ['introspect', introspect.url, introspect.forms],
  ] as const) {
    const load = { url, formsFile: join(deps.directory, `${step}.txt`), signal, mayBeLate: true, ...settings }
    writeFileSync(load.formsFile, `${forms.join('\n')}\n`)
    await runWrk({ ...load, seconds: warmUp })
    await sleep(300)
    const stop = watch(running.watched)
    const { perSecond, latency, requests } = await runWrk(load)
    const usage = stop()
    const cpuMicroseconds = cpuOf(usage, running.watched, requests)
    figures[step] = figuresOf({ perSecond, latency, cpuMicroseconds, usage }, running)
    await sleep(300)
  }

  if (server.without?.authorize === undefined) {
    const cookies: string[] = []
    for (let number = 0; number < sessions; number += 1) cookies.push(await running.beginSession(number))
    const all = Number.POSITIVE_INFINITY
    for (const seconds of [warmUp, settings.seconds]) {
      const given = await measureCalls(calls, cycle(cookies), seconds, running.authorize)
      const redeemed = await measureCalls(calls, given.outputs.values(), all, running.redeem)
      const refreshed = await measureCalls(calls, redeemed.outputs.values(), all, running.refresh)
      for (const [step, { measured }] of [
        ['authorize', given],
        ['redeem', redeemed],
        ['refresh', refreshed],
      ] as const)
        figures[step] = figuresOf(measured, running)
    }
  }

  const { logIn } = running
  if (logIn) {
    const logins = { ...calls, connections: parallelLogins }
    await measureCalls(logins, counting(), warmUp, logIn)
    const { measured } = await measureCalls(logins, counting(), settings.seconds, logIn)
    figures.login = figuresOf(measured, running)
  }
  running.checkAlive()
  return { version: running.version, figures }
}

function figuresOf(
  { perSecond, latency: { p50, p99 }, cpuMicroseconds, usage }: Figured,
  { watched }: RunningServer,
): StepFigures {
  const names = new Set(watched.map(({ name }) => name))
  const memory = usage.processes
    .filter(({ name }) => names.has(name))
    .reduce((sum, one) => sum + (one.memory ?? 0), 0)
  return { perSecond, p50, p99, cpuMicroseconds, memory, idle: usage.idle, others: usage.others }
}

/** Gets tokens, and checks that the server says of one of them that it is active, and of a wrong one that it is not. */
async function introspectionForms({ issue, introspect }: RunningServer): Promise<string[]> {
  const answers = await Promise.all(Array.from({ length: tokens }, () => post(issue.url, issue.form)))
  const issued = answers.map(({ status, text }) => {
    const token = status === 200 && JSON.parse(text).access_token
    if (!token) throw new BenchFailure(`No token was issued: ${status} ${text.slice(0, 200)}`)
    return String(token)
  })
  const isActive = async (token: string) => {
    const { status, text } = await post(introspect.url, introspect.formOf(token))
    if (status !== 200)
      throw new BenchFailure(`An introspection was answered ${status} ${text.slice(0, 200)}`)
    return JSON.parse(text).active === true
  }
  const [first = ''] = issued
  if (!(await isActive(first)) || (await isActive(`x${first}`)))
    throw new BenchFailure('The introspection does not tell an active token from a wrong one')
  return issued.map(introspect.formOf)
}

function* counting(): Generator<number> {
  for (let number = 0; ; number += 1) yield number
}
