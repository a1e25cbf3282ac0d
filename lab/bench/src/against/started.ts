import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@gatehouse/local/postgres'
import { openDatabase } from '../durability.ts'
import { BenchFailure } from '../failure.ts'
import { common } from '../gatehouse.ts'
import type { Watched } from '../measuring/usage.ts'
import type { StartDeps } from './server.ts'

/**
 * Starts the PostgreSQL that Gatehouse gets, with the same settings, for another server.
 * @returns the URL of its empty database
 */
export async function startDatabase({
  directory,
  stack,
  signal,
  tell,
}: StartDeps): Promise<{ url: string; watched: Watched }> {
  const dataDirectory = join(directory, 'postgres')
  mkdirSync(dataDirectory, { mode: 0o711 })
  const postgres = await startPostgres({ dataDirectory, log: tell, signal })
  stack.defer(() => postgres.stop())
  // Refuses settings that would lose a commit.
  await openDatabase(postgres.url, stack)
  return { url: postgres.url, watched: { name: 'postgresql', pid: () => postgres.pid, tree: true } }
}

/** A process of a server. */
export type StartedProcess = {
  watched: Watched
  /** @throws BenchFailure when it has ended by itself */
  checkAlive(): void
  /** Waits until an address answers 200. @throws BenchFailure when the process ends, or 90 s have passed */
  untilReady(url: string): Promise<void>
}

/** Starts a process. Its output is in a file beside its data. @param env the variables besides those that every subject gets */
export function startProcess(
  name: string,
  command: readonly [string, ...string[]],
  { directory, stack, signal }: StartDeps,
  env: Record<string, string>,
): StartedProcess {
  const [path, ...argv] = command
  const logFile = createWriteStream(join(directory, `${name}.log`))
  const child = spawn(path, argv, { env: { ...common(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let last = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      logFile.write(chunk)
      last = (last + chunk.toString()).slice(-2_000)
    })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', (error) => {
    last = error.message
  })
  stack.defer(async () => {
    child.kill('SIGTERM')
    await Promise.race([ended, sleep(10_000).then(() => child.kill('SIGKILL'))])
    logFile.end()
  })
  const checkAlive = () => {
    if (hasEnded(child))
      throw new BenchFailure(`${name} ended: ${last.trim().split('\n').slice(-3).join(' ')}`)
  }
  return {
    watched: { name, pid: () => child.pid, tree: true },
    checkAlive,
    async untilReady(url) {
      for (let left = 900; left > 0; left -= 1) {
        signal.throwIfAborted()
        checkAlive()
        const status = await fetch(url).then(
          (response) => response.status,
          () => 0,
        )
        if (status === 200) return
        await sleep(100)
      }
      throw new BenchFailure(`${name} does not answer at ${new URL(url).pathname}: ${last.trim()}`)
    },
  }
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}
