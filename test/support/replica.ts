import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compileCache } from '@gatehouse/local/places'
import { environmentOf, nodeFlags, type ServiceName } from '@gatehouse/local/services'
import { endWithUs } from './programs/end-with-us.ts'

/** The ports of every replica; each replica has its own address. */
export const replicaPorts = { grpc: 20_051, internal: 20_052, http: 20_080 }

/** How a process ended. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** One process of a service, which is not restarted. */
export type Replica = {
  name: ServiceName
  address: string
  /** The options with which it was started, for starting it again. */
  options: ReplicaOptions
  readonly running: boolean
  ended: Promise<Exit>
  /** Resolves when its internal port says that it is ready. @throws Error when it does not become ready */
  ready(): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** The sum of a metric's samples, by its name without `oauth2_server_`; 0 if there are none. */
  metric(name: string): Promise<number>
  /** Its log. */
  log(): string
}

/** How a replica is run. */
export type ReplicaOptions = {
  name: ServiceName
  /** The checkout whose code runs. */
  root: string
  /** Its own address, at which it listens on `replicaPorts`. */
  address: string
  variables: Record<string, string>
  logFile: string
  /** The command that runs Node: empty, or a program with its arguments. */
  within?: string[] | undefined
}

/** How long a start may take, in milliseconds. */
const startTimeout = 120_000

/** How long a healthy replica may take to answer on its internal port, in milliseconds. */
const askTimeout = 10_000

/** Starts one process of a service. It ends when this process ends. */
export function startReplica(options: ReplicaOptions): Replica {
  const { name, root, address, variables, logFile, within = [] } = options
  const { PATH, HOME } = process.env
  const environment = environmentOf(
    name,
    { PATH, HOME },
    {
      ...variables,
      OAUTH2_GRPC_HOST: address,
      OAUTH2_GRPC_PORT: String(replicaPorts.grpc),
      OAUTH2_INTERNAL_HOST: address,
      OAUTH2_INTERNAL_PORT: String(replicaPorts.internal),
      OAUTH2_SERVER_HOST: address,
      OAUTH2_SERVER_PORT: String(replicaPorts.http),
      NODE_COMPILE_CACHE: compileCache,
    },
  )
  const entry = join(root, 'services', name, 'src', 'main.ts')
  const [program = '', ...argv] = [...within, process.execPath, ...nodeFlags[name], entry]
  const output = openSync(logFile, 'a')
  // It ends when its channel to us closes, so a killed test leaves no process behind.
  const child = spawn(program, argv, { env: environment, stdio: ['ignore', output, output, 'ipc'] })
  closeSync(output)
  const isRunning = () => child.exitCode === null && child.signalCode === null
  // A suspended process does not end when our channel to it closes.
  endWithUs(child)
  const ended = endOf(child)
  const ask = (path: string) =>
    fetch(`http://${address}:${replicaPorts.internal}${path}`, { signal: AbortSignal.timeout(askTimeout) })
  const log = () => readFileSync(logFile, 'utf8')
  return {
    name,
    address,
    options,
    get running() {
      return isRunning()
    },
    ended,
    log,
    async ready() {
      for (const deadline = Date.now() + startTimeout; ; await sleep(50)) {
        const response = await ask('/ready').catch(() => undefined)
        await response?.body?.cancel()
        if (response?.ok) return
        if (!isRunning() || Date.now() > deadline) {
          throw new Error(`${name} at ${address} does not become ready:\n${log().slice(-2_000)}`)
        }
      }
    },
    kill: (signal) => void child.kill(signal),
    async metric(metric) {
      const text = await (await ask('/metrics')).text()
      const samples = text
        .split('\n')
        .filter((line) => /^[^{ ]*/.exec(line)?.[0] === `oauth2_server_${metric}`)
      return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
    },
  }
}

async function endOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = await once(child, 'exit')
  return { code, signal }
}
