import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { programCache } from './program-cache.ts'
import { type Outcome, onPath, run } from './run.ts'

/** Go programs that the tests build themselves, since Debian has none of them: what, and which version. */
const sources = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
}
export type GoProgram = keyof typeof sources

const cache = join(programCache, 'go')
const binaries = join(cache, 'bin')
/** Where the program of this version is. */
const homeOf = (name: GoProgram) => join(binaries, basename(sources[name]))

/**
 * A program on the PATH, or one that was built before.
 * @returns its path, or undefined
 */
export function findGoProgram(name: GoProgram): string | undefined {
  return onPath(name) ?? [join(homeOf(name), name)].find(existsSync)
}

/**
 * Builds a program of its pinned version, once: a worker that comes while another builds waits and has nothing to do.
 * @returns whether it is there now
 */
export async function buildGoProgram(name: GoProgram): Promise<boolean> {
  const go = onPath('go')
  if (!go) return false
  console.log(`Building ${name} for the tests; it takes some minutes, once.`)
  const build = 'test -x "$1/$2" || GOBIN="$1" exec go install -trimpath "-ldflags=-s -w" "$3"'
  const outcome = await runGo(['sh', '-c', build, 'sh', homeOf(name), name, sources[name]])
  if (!outcome.ok) console.log(`The build of ${name} failed: ${outcome.stderr.trim().split('\n').at(-1)}`)
  return outcome.ok
}

/**
 * Builds a program of a Go module of this repository, unless that was done before.
 * @param directory where the module's go.mod is
 * @param name the program's directory in it
 * @param flags for the linker
 * @returns its path
 * @throws Error with what Go says when it cannot be built
 */
export async function buildGoPackage(directory: string, name: string, flags = ''): Promise<string> {
  const versions = createHash('sha256').update(readFileSync(join(directory, 'go.mod')))
  const path = join(binaries, `${name}-${versions.digest('hex').slice(0, 12)}`)
  if (existsSync(path)) return path
  console.log(`Building ${name}; it takes some minutes, once.`)
  const build = ['-C', directory, 'build', '-trimpath', `-ldflags=-s -w ${flags}`, '-o', path, `./${name}`]
  const { ok, stderr } = await runGo(['go', ...build], '-mod=readonly')
  if (!ok) throw new Error(`the build of ${name} failed: ${stderr}`)
  return path
}

/**
 * Fetches a Go module for the files in it.
 * @param module its path and version, as example.com/module@v1.2.3
 * @returns the directory with its files
 * @throws Error with what Go says when it cannot be had
 */
export async function fetchGoModule(module: string): Promise<string> {
  const { ok, stdout, stderr } = await runGo(['go', 'mod', 'download', '-json', module])
  if (!ok) throw new Error(`${module}: ${stderr} ${stdout}`)
  return JSON.parse(stdout).Dir
}

/** Outside of this repository and its modules, one at a time. */
function runGo(command: string[], flags = '-mod=mod'): Promise<Outcome> {
  mkdirSync(binaries, { recursive: true })
  const env = { ...process.env, GOFLAGS: `${flags} -buildvcs=false`, GOWORK: 'off' }
  const lock = onPath('flock')
  const [program = '', ...argv] = lock ? [lock, join(cache, 'lock'), ...command] : command
  return run(program, argv, { cwd: cache, env })
}
