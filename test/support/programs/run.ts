import { type ExecFileOptions, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** How a program ended, and its output. */
export type Outcome = { ok: boolean; stdout: string; stderr: string }

/** Runs a program to its end. It never throws: a failure is in the outcome. */
export function run(path: string, argv: string[], options: ExecFileOptions = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(path, argv, { maxBuffer: 64 << 20, ...options, encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ ok: !error, stdout, stderr: stderr || String(error ?? '') }),
    )
  })
}

/** A program that failed, with the end of what it printed. */
export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure'
}

/**
 * Runs a program to its end, which must be a good one.
 * @returns its standard output
 * @throws ProgramFailure
 */
export async function must(
  path: string,
  argv: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const { ok, stdout, stderr } = await run(path, [...argv], options)
  if (!ok)
    throw new ProgramFailure(`${path} ${argv.join(' ')}: ${`${stdout}\n${stderr}`.trim().slice(-3_000)}`)
  return stdout
}

/**
 * Runs a program to its end with our own terminal.
 * @returns its exit code; 1 when a signal ended it
 * @throws Error when it cannot be started
 */
export async function runHere(
  path: string,
  argv: readonly string[],
  options: SpawnOptions = {},
): Promise<number> {
  const [code] = await once(spawn(path, argv, { ...options, stdio: 'inherit' }), 'exit')
  return code ?? 1
}

/**
 * Finds a program on the PATH.
 * @returns its path, or undefined
 */
export function onPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}
