import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from '@gatehouse/prisma/connection'
import { messageOf, StartFailure } from '../failure.ts'
import { logSize, openLog, readLog } from '../logs.ts'
import type { Account } from './account.ts'
import { readPostmasterFile } from './leftover.ts'

/** One run of PostgreSQL. */
export type Server = {
  /** Resolves when it has ended for whatever reason. */
  ended: Promise<void>
  hasEnded(): boolean
  /** Stops it with a fast shutdown, and after `patience` milliseconds with an immediate one. */
  stop(patience: number): Promise<void>
  /** Stops it with an immediate shutdown: committed data is safe, and the next start takes longer. */
  destroy(): void
  /** Why it ended by itself, from its log. */
  reason(): string
}

/**
 * The parent process of PostgreSQL, because a killed launcher cannot stop it: when the launcher's end of the pipe (descriptor 3)
 * closes, this program sends PostgreSQL the signal for a fast shutdown.
 */
const guard = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r line <&3; kill -INT $server; } 2>/dev/null &
watcher=$!
wait $server
status=$?
kill $watcher 2>/dev/null
exit $status`

/** Chosen for a laptop with two cores; all other settings have PostgreSQL's defaults. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '120',
  shared_buffers: '256MB',
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  jit: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

/** The settings that differ in tests: several systems at once use one server, and a service that gets no connection answers 503. */
const ofTests = { fsync: 'off', full_page_writes: 'off', max_connections: '400' }

/**
 * Starts PostgreSQL on an existing cluster; see waitUntilAccepting.
 * @param account the user who runs it, and its files
 * @param durable false switches fsync off and allows more connections, for tests
 */
export function launchServer(account: Account, port: number, durable: boolean, logFile: string): Server {
  const data = join(account.home, 'data')
  const chosen = {
    ...settings,
    port: String(port),
    ...(!durable && ofTests),
  }
  const flags = Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(account.binaries, 'bin', 'postgres'), '-D', data, ...flags]
  const [program = 'sh', ...args] = [...account.prefix, 'sh', '-c', guard, 'sh', ...command]
  const before = logSize(logFile)
  const log = openLog(logFile)
  // In its own session, because a terminal's Ctrl-C must not reach it while services need it.
  const child = spawn(program, args, { ...account.options, stdio: ['pipe', log, log], detached: true })
  closeSync(log)
  // The guard may have ended when the pipe is closed.
  child.stdin?.on('error', () => {})
  let over = false
  let spawnFailure = ''
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      spawnFailure = messageOf(error)
      resolve()
    })
    child.once('exit', () => resolve())
  }).then(() => {
    over = true
    child.stdin?.destroy()
  })

  async function stop(patience: number): Promise<void> {
    child.stdin?.end()
    const timer = setTimeout(destroy, patience)
    await ended
    clearTimeout(timer)
  }

  function destroy(): void {
    const pid = readPostmasterFile(data)?.pid
    if (over || pid === undefined) return
    try {
      process.kill(pid, 'SIGQUIT')
    } catch {
      // It has just ended.
    }
  }

  function reason(): string {
    if (spawnFailure) return spawnFailure
    const lines = readLog(logFile, before).split('\n')
    const fatal = lines.findLast((line) => /\b(FATAL|PANIC|could not|not found):?/.test(line))
    return (fatal ?? lines.findLast((line) => line.trim()) ?? 'it said nothing').trim()
  }

  return { ended, hasEnded: () => over, stop, destroy, reason }
}

/**
 * Waits until a server accepts connections.
 * @param url the URL of a database that exists from the beginning
 * @throws StartFailure when it ends, or takes more than a minute
 */
export async function waitUntilAccepting(server: Server, url: string, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    signal?.throwIfAborted()
    if (server.hasEnded()) throw new StartFailure(`PostgreSQL did not start: ${server.reason()}`)
    try {
      const client = await openConnection({ databaseUrl: url, applicationName: 'gatehouse-launcher' })
      return await client.end()
    } catch (error) {
      // 57P03: it is starting, or replaying its log.
      const { code } = error as { code?: string }
      const early = ['ECONNREFUSED', 'ECONNRESET', '57P03'].includes(code ?? '')
      if (!early || performance.now() > deadline) {
        throw new StartFailure(`PostgreSQL does not accept connections: ${messageOf(error)}`)
      }
    }
    await sleep(20)
  }
}
