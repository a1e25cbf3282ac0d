import { flushCompileCache } from 'node:module'
import { inspect } from 'node:util'
import type { Static, TObject } from '@gatehouse/proto/typebox'
import { ConfigurationError, type processVariables } from '../config/config.ts'
import { loadConfig, warningsOf } from '../config/load-config.ts'
import { unknownVariables } from '../config/unknown-variables.ts'
import { version } from '../release.ts'
import { type Certificates, openCertificates } from '../rpc/certificates.ts'
import { createLog, type Logger } from '../telemetry/log.ts'
import { createRegistry, type Registry } from '../telemetry/metrics.ts'
import { traceCollector } from '../telemetry/trace-collector.ts'
import { startInternalServer } from './internal-server.ts'

/** The configuration and the shared parts of a process. */
export type ProcessContext<Config> = {
  name: string
  config: Config
  log: Logger
  registry: Registry
  /** For calls between the processes; undefined if those are not encrypted. */
  certificates: Certificates | undefined
  /** Aborted when the process begins to shut down. */
  stopping: AbortSignal
  /** Registers a step for the end of the process; steps run in reverse order. */
  onShutdown(step: () => Promise<unknown> | unknown): void
}

/** The process cannot start, and the person who started it can fix that. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The exit code of a process that will not start until its setup is fixed: EX_CONFIG of sysexits.h. */
export const exitCodeOfBadSetup = 78

/** How long a process may take to shut down, in milliseconds. */
const shutdownTimeoutMs = 8_000

/** A configuration with the variables that every process has. */
type ProcessSchema = TObject<typeof processVariables>

/**
 * Runs a process from start to exit: reads its variables, starts it, tells the launcher that it serves, and shuts it
 * down in order on SIGTERM, on SIGINT, or when the launcher is gone.
 * @param name the service's name
 * @param schema its variables
 * @param start starts everything and registers how to stop it
 */
export async function runProcess<Schema extends TObject>(
  name: string,
  schema: Schema,
  start: (context: ProcessContext<Readonly<Static<Schema>>>) => Promise<void>,
): Promise<void> {
  const steps: (() => Promise<unknown> | unknown)[] = []
  const stopping = new AbortController()
  let ready = false
  try {
    const config = loadConfig(schema, process.env)
    const shared = config as unknown as Static<ProcessSchema>
    const collector = traceCollector(process.env)
    const log = createLog(name, shared.LOG_LEVEL, collector !== undefined)
    for (const warning of [...warningsOf(schema, config), ...unknownVariables(process.env)]) log.warn(warning)
    const registry = createRegistry(version)
    const onShutdown = (step: () => Promise<unknown> | unknown) => void steps.push(step)
    endOn(log, stopping, steps)
    if (collector) {
      // Loaded only if it is used: it takes as long to load as everything else together.
      const { startTracing } = await import('../telemetry/trace-sdk.ts')
      // Stops last, so that the spans of the other parts' shutdown are sent too.
      onShutdown(startTracing({ name, collector, log, environment: process.env }))
    }

    const internal = await startInternalServer({
      host: shared.OAUTH2_INTERNAL_HOST,
      port: shared.OAUTH2_INTERNAL_PORT,
      registry,
      isReady: () => ready && !stopping.signal.aborted,
    }).catch((error) => {
      throw listenError(error, shared.OAUTH2_INTERNAL_PORT, 'OAUTH2_INTERNAL_PORT')
    })
    onShutdown(() => internal.server.close())
    const certificates = await openCertificates(shared, { log, registry, onShutdown })
    await start({ name, config, log, registry, certificates, stopping: stopping.signal, onShutdown })
    ready = true
    log.info({ version, internalPort: internal.port }, 'started')
    // Otherwise Node would write the compile cache on exit, and a person who pressed Ctrl-C would wait for it.
    flushCompileCache()
    // After the log of this turn: the launcher looks there for warnings.
    setImmediate(() => process.send?.({ type: 'ready' }))
  } catch (error) {
    endBecauseOf(name, error)
  }
}

/**
 * Ends the process because it cannot start, or because it learned only after its start that it should not have.
 * @param name the service's name, before each line that is written
 * @param error one for people (ConfigurationError, StartError), of which only the message is written, or any other
 */
export function endBecauseOf(name: string, error: unknown): never {
  const forPeople = error instanceof ConfigurationError || error instanceof StartError
  // Includes the error's causes: the reason is often the last of them.
  const text = forPeople ? error.message : inspect(error)
  process.stderr.write(`${text.replace(/^/gm, `${name}: `)}\n`)
  process.exit(forPeople ? exitCodeOfBadSetup : 1)
}

/**
 * Explains a failed listen to the person who started the process.
 * @param error the listener's error
 * @param port the port that was asked for
 * @param variable the variable that names the port
 */
export function listenError(error: unknown, port: number, variable: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const taken = code === 'EADDRINUSE' || message.includes('EADDRINUSE')
  if (taken) return new StartError(`Port ${port} is taken: stop the other program or set ${variable}`)
  if (code === 'EACCES')
    return new StartError(`Port ${port} needs more rights: set ${variable} to one above 1023`)
  if (
    code !== undefined &&
    ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)
  )
    return new StartError(`This machine has no such address to listen on: ${message}`)
  return error as Error
}

function endOn(log: Logger, stopping: AbortController, steps: (() => unknown)[]): void {
  const end = async (cause: string) => {
    if (stopping.signal.aborted) return
    log.info({ cause }, 'stopping')
    stopping.abort()
    setTimeout(() => {
      log.error('not everything could be finished in time')
      process.exit(1)
    }, shutdownTimeoutMs).unref()
    for (const step of steps.reverse()) {
      await Promise.resolve()
        .then(step)
        .catch((error) => log.error({ err: error }, 'a part did not stop cleanly'))
    }
    log.info('stopped')
    process.exit(0)
  }
  process.once('SIGTERM', () => end('SIGTERM'))
  process.once('SIGINT', () => end('SIGINT'))
  process.once('disconnect', () => end('the launcher is gone'))
}
