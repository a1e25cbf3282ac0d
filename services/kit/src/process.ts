import { flushCompileCache } from 'node:module'
import { inspect } from 'node:util'
import type { Static, TObject } from 'typebox'
import { type Certificates, openCertificates } from './certificates.ts'
import { ConfigurationError, type processVariables } from './config.ts'
import { startInternalServer } from './internal-server.ts'
import { loadConfig, warningsOf } from './load-config.ts'
import { createLog, type Logger } from './log.ts'
import { createRegistry, type Registry } from './metrics.ts'
import { version } from './release.ts'
import { traceCollector } from './trace-collector.ts'
import { unknownVariables } from './unknown-variables.ts'

/** What a process has to work with. */
export type ProcessContext<Config> = {
  name: string
  config: Config
  log: Logger
  registry: Registry
  /** For calls between the processes; undefined: they are not encrypted. */
  certificates: Certificates | undefined
  /** Aborted when the process begins to shut down. */
  stopping: AbortSignal
  /** Does this when the process ends: what was registered last is done first. */
  onShutdown(step: () => Promise<unknown> | unknown): void
}

/** Something that hinders the start and that the person who started the process can mend. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The exit code of a process that will not start however often it is tried: sysexits.h's EX_CONFIG. */
export const exitCodeOfBadSetup = 78

/** How long a process may take to finish what it has begun, in milliseconds. */
const shutdownTimeoutMs = 8_000

/** A configuration with the variables that every process has. */
type ProcessSchema = TObject<typeof processVariables>

/**
 * Runs a process from its first line to its exit: reads its variables, starts it, tells a launcher that it serves,
 * and ends it in order on SIGTERM, on SIGINT, or when the launcher is gone.
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
      // Not loaded without need: it takes as long to load as all the rest.
      const { startTracing } = await import('./trace-sdk.ts')
      // Ends last, so that what the other parts do at their end is sent too.
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
    // Else the compile cache would be written at the end, when whoever pressed Ctrl-C waits for it.
    flushCompileCache()
    // After the log of this turn: the launcher looks there for warnings.
    setImmediate(() => process.send?.({ type: 'ready' }))
  } catch (error) {
    const forPeople = error instanceof ConfigurationError || error instanceof StartError
    // With its causes: the reason is often the last of them.
    const text = forPeople ? error.message : inspect(error)
    process.stderr.write(`${text.replace(/^/gm, `${name}: `)}\n`)
    process.exit(forPeople ? exitCodeOfBadSetup : 1)
  }
}

/**
 * What a failed listen means for the person at the terminal.
 * @param error what the listener gave
 * @param port the port that was asked for
 * @param variable the variable that names the port
 */
export function listenError(error: unknown, port: number, variable: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const taken = code === 'EADDRINUSE' || message.includes('EADDRINUSE')
  if (taken) return new StartError(`Port ${port} is taken: stop the other program or set ${variable}`)
  if (code === 'EACCES')
    return new StartError(`Port ${port} needs more rights: set ${variable} to one above 1023`)
  if (code === 'EADDRNOTAVAIL')
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
