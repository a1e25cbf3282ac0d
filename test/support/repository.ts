import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'

/**
 * The files of the repository that git lists, or in which it finds something: new ones too, ignored ones not.
 * @param patterns those of gitignore
 * @throws Error when git fails
 */
export function gitFiles(
  command: 'ls-files' | 'grep',
  patterns: readonly string[],
  options: string[] = [],
): string[] {
  const untracked = command === 'grep' ? ['--untracked'] : ['--cached', '--others', '--exclude-standard']
  const paths = patterns.map((pattern) => `:(glob)${pattern}`)
  const { stdout, status, stderr } = spawnSync('git', [command, ...untracked, ...options, '--', ...paths], {
    cwd: rootDirectory,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  // git grep that finds nothing ends with 1.
  if (status !== 0 && stderr !== '') throw new Error(`git ${command} failed: ${stderr}`)
  return stdout.split('\n').filter((line) => line !== '')
}

/** The text of a file of the repository; undefined when it does not exist. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(join(rootDirectory, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
