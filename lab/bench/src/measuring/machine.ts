import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { rootDirectory } from '../repository.ts'

/** The facts of the machine on which the numbers depend. */
export type MachineFacts = {
  cpu: string
  cores: number
  memoryGiB: number
  kernel: string
  /** The load average of the last minute before the start: the machine should have been quiet. */
  loadAverage: number
  node: string
  revision: string
  /** Whether files differ from that revision. */
  changed: boolean
  rivals: Record<'fastify' | 'oidc-provider', string>
}

/** Reads them. */
export function machineFacts(): MachineFacts {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    node: process.version,
    revision: git('rev-parse', '--short=12', 'HEAD') || 'unknown',
    changed: git('status', '--porcelain') !== '',
    rivals: { fastify: versionOf('fastify'), 'oidc-provider': versionOf('oidc-provider') },
  }
}

/** The output of git; empty without git or a repository, for example in an unpacked archive. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: rootDirectory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

/** The version of a package that is installed. */
export function versionOf(name: string): string {
  // Not every package exports its package.json.
  const file = import.meta.resolve(name).replace(new RegExp(`(.*/node_modules/${name}/).*`), '$1package.json')
  return JSON.parse(readFileSync(new URL(file), 'utf8')).version
}
