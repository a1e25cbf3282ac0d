import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { styleText } from 'node:util'
import { ConfigurationError } from '@gatehouse/kit/config/config'
import { messageOf, StartFailure } from './failure.ts'
import { dataDirectoryOf } from './places.ts'
import { renderSummary, type SummaryFacts } from './summary.ts'
import { type System, type SystemOptions, startSystem } from './system.ts'

/** In milliseconds. Stopping takes at most 5 s; if it takes longer, the children end when this process has ended. */
const longestStop = 5_500

/** In milliseconds. npm repeats a Ctrl-C that the terminal has already sent; the repetition is not a second Ctrl-C. */
const sameKeystroke = 500

/**
 * The program behind `npm start`: starts the system, explains how to use it, and stops it on SIGINT, SIGTERM or SIGHUP. A
 * second signal, at least half a second later, stops it at once. The process exits with 0 after a requested stop, and with
 * 1 when the start failed.
 * @param options replacements for the real services, for tests
 */
export async function launch(options: Pick<SystemOptions, 'entry' | 'durable'> = {}): Promise<void> {
  const began = performance.now()
  const starting = new AbortController()
  let system: System | undefined
  let stopping = false
  let asked = 0

  // The terminal may be gone, but the system should still stop in order.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))

  try {
    system = await startSystem({ ...options, env: process.env, log: tell, signal: starting.signal })
  } catch (error) {
    if (stopping) tell('Stopped.')
    else complain(error)
    process.exit(stopping ? 0 : 1)
  }
  // A new password is shown only here, even to somebody who has just stopped the system.
  if (!stopping || system.generatedPassword !== undefined)
    process.stdout.write(renderSummary(factsOf(system, performance.now() - began), hasColours()))
  if (stopping) await end(system)

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (stopping && performance.now() - asked < sameKeystroke) return
    if (stopping) {
      system?.destroy()
      process.exit(signal === 'SIGINT' ? 130 : 143)
    }
    stopping = true
    asked = performance.now()
    keep(signal)
    setTimeout(() => process.exit(1), longestStop).unref()
    // The terminal has echoed ^C.
    if (process.stdout.isTTY) process.stdout.write('\n')
    tell('Stopping …')
    starting.abort()
    if (system) await end(system)
  }
}

async function end(system: System): Promise<void> {
  await system.stop()
  tell('Stopped.')
  process.exit(0)
}

function factsOf(system: System, milliseconds: number): SummaryFacts {
  const { baseUrl, config, dataDirectory, generatedPassword, postgres } = system
  return {
    baseUrl,
    username: config.seedUsername,
    ...(generatedPassword !== undefined && { password: generatedPassword }),
    dataDirectory,
    ...(postgres && dirname(postgres.home) !== dataDirectory && { databaseDirectory: postgres.home }),
    registration: config.registration,
    openid: config.openid,
    ...(config.mailDirectory !== undefined && { mailDirectory: config.mailDirectory }),
    milliseconds,
  }
}

/** Whether the output goes to a terminal whose user wants colours (NO_COLOR, https://no-color.org). */
function hasColours(): boolean {
  return process.stdout.isTTY === true && process.stdout.hasColors()
}

/** Prints one line with the time, and logs it. */
function tell(line: string): void {
  const time = new Date().toTimeString().slice(0, 8)
  process.stdout.write(`  ${hasColours() ? styleText('dim', time) : time}  ${line}\n`)
  keep(line)
}

function complain(error: unknown): void {
  const forPeople = error instanceof StartFailure || error instanceof ConfigurationError
  const text = forPeople
    ? error.message
    : `Gatehouse did not start: ${messageOf(error)} (details in ${logFile()})`
  process.stderr.write(`${styleText('red', text, { stream: process.stderr })}\n`)
  keep(forPeople || !(error instanceof Error) ? text : (error.stack ?? text))
}

function keep(text: string): void {
  try {
    appendFileSync(logFile(), `${new Date().toISOString()} ${text}\n`, { mode: 0o600 })
  } catch {
    // The data directory may not exist; then that is the error being reported.
  }
}

function logFile(): string {
  return join(dataDirectoryOf(process.env), 'logs', 'launcher.log')
}
