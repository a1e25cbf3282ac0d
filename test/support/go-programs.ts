import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Outcome, onPath, run } from './run.ts'

/** Go programs that the tests build themselves, since Debian has none of them: what, and which version. */
const sources = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
}
export type GoProgram = keyof typeof sources

const cache = fileURLToPath(new URL('../../node_modules/.cache/gatehouse-go', import.meta.url))
const directory = join(cache, 'bin')

/**
 * A program on the PATH, or one that was built before.
 * @returns its path, or undefined
 */
export function findGoProgram(name: GoProgram): string | undefined {
  return onPath(name) ?? [join(directory, name)].find(existsSync)
}

/**
 * Builds a program of its pinned version, once: a worker that comes while another builds waits and has nothing to do.
 * @returns whether it is there now
 */
export async function buildGoProgram(name: GoProgram): Promise<boolean> {
  const go = onPath('go')
  if (!go) return false
  console.log(`Building ${name} for the tests; it takes some minutes, once.`)
  mkdirSync(directory, { recursive: true })
  const build = 'test -x "$1" || exec go install -trimpath "-ldflags=-s -w" "$2"'
  const outcome = await runGo(['sh', '-c', build, 'sh', join(directory, name), sources[name]])
  if (!outcome.ok) console.log(`The build of ${name} failed: ${outcome.stderr.trim().split('\n').at(-1)}`)
  return outcome.ok
}

/**
 * Fetches a Go module for the files in it.
 * @param module its path and version, as example.com/module@v1.2.3
 * @returns the directory with its files
 * @throws Error with what Go says when it cannot be had
 */
export async function fetchGoModule(module: string): Promise<string> {
  mkdirSync(directory, { recursive: true })
  const { ok, stdout, stderr } = await runGo(['go', 'mod', 'download', '-json', module])
  if (!ok) throw new Error(`${module}: ${stderr} ${stdout}`)
  return JSON.parse(stdout).Dir
}

/** Outside of this repository and its modules, one at a time. */
function runGo(command: string[]): Promise<Outcome> {
  const env = { ...process.env, GOBIN: directory, GOFLAGS: '-mod=mod', GOWORK: 'off' }
  const lock = onPath('flock')
  const [program = '', ...argv] = lock ? [lock, join(cache, 'lock'), ...command] : command
  return run(program, argv, { cwd: cache, env })
}
