import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../programs/run.ts'

/** A program in a mount namespace of its own, where a small disk is mounted that nobody else sees. */
export type ProgramOnSmallDisk = {
  child: ChildProcess
  /** The output so far. */
  output: { stdout: string; stderr: string }
  /** Resolves with its exit code. */
  ended: Promise<number | null>
  /** The path of a file on the disk, for this process. */
  seen(name: string): string
  /** Fills the disk up to its last byte. */
  fill(): Promise<void>
  /** Makes room again. */
  empty(): Promise<void>
}

/**
 * Starts a program whose disk ends with it.
 * @param argv the program and its arguments
 * @param options.size the disk's size in MiB
 * @param options.env makes its variables of the folder where it sees the disk
 */
export function startOnSmallDisk(
  argv: string[],
  { size, env }: { size: number; env: (directory: string) => NodeJS.ProcessEnv },
): ProgramOnSmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
  const script = `mount -t tmpfs -o size=${size}m,mode=755 tmpfs "$0" && exec "$@"`
  const child = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', script, directory, ...argv],
    { env: env(directory), stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text
    })
  }
  const ended = once(child, 'close').then(([code]) => {
    rmSync(directory, { recursive: true, force: true })
    return code as number | null
  })
  const seen = (name: string) => join(`/proc/${child.pid}/root`, directory, name)
  return {
    child,
    output,
    ended,
    seen,
    async fill() {
      const file = await open(seen('filler'), 'a')
      try {
        for (const size of [1024 * 1024, 4096, 1]) await writeUntilFull(file, Buffer.alloc(size))
      } finally {
        await file.close()
      }
    },
    empty: () => rm(seen('filler')),
  }
}

async function writeUntilFull(file: Awaited<ReturnType<typeof open>>, piece: Buffer): Promise<void> {
  for (;;) {
    try {
      await file.appendFile(piece)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return
      throw error
    }
  }
}

/** Whether this machine can mount a small disk: only as root on Linux. */
export const hasSmallDisks = await run('unshare', [
  ...['--mount', '--propagation', 'private', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt'],
]).then(({ ok, stderr }) => {
  if (ok) return true
  const line = `No disk can be filled here: it needs Linux, root and unshare (${stderr.trim()})`
  if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
  console.log(`${line}: its tests are skipped.`)
  return false
})
