import { type ExecFileOptions, execFile } from 'node:child_process'
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
