import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartFailure } from '../failure.ts'

/** The content of postmaster.pid, as far as it is written already. */
export type PostmasterFile = { pid: number; status: string }

/** Reads the file that a running server writes about itself; undefined when there is none. */
export function readPostmasterFile(data: string): PostmasterFile | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), status: lines[7]?.trim() ?? '' }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Stops a server that a killed launcher left running on a database's files. The caller must hold the lock of the directory: then
 * any server there is a leftover.
 * @param data the directory with the database's files
 * @throws StartFailure when it does not stop
 */
export async function stopLeftover(data: string): Promise<void> {
  const found = readPostmasterFile(data)
  if (!found || !(found.pid > 0)) return
  // First a fast shutdown, which writes committed data to the tables; then an immediate one, after which the next start replays
  // the log.
  for (const [signal, patience] of [
    ['SIGINT', 5_000],
    ['SIGQUIT', 3_000],
  ] as const) {
    if (!isServerOf(data, found.pid)) break
    sendSignal(found.pid, signal, data)
    const deadline = performance.now() + patience
    while (isServerOf(data, found.pid) && performance.now() < deadline) await sleep(20)
  }
  if (isServerOf(data, found.pid)) throw cannotStop(found.pid, data)
  // The process id may belong to another program by now, and PostgreSQL would mistake that for a running server.
  if (readPostmasterFile(data)?.pid === found.pid) rmSync(join(data, 'postmaster.pid'), { force: true })
}

function sendSignal(pid: number, signal: NodeJS.Signals, data: string): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM') throw cannotStop(pid, data)
  }
}

function cannotStop(pid: number, data: string): StartFailure {
  return new StartFailure(`PostgreSQL (process ${pid}) still runs on ${data}: stop it and start again`)
}

function isServerOf(data: string, pid: number): boolean {
  return commandOf(pid).includes(data)
}

/** A process's command line; empty when there is no such process, or it has ended but was not waited for. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
