import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { programCache } from './program-cache.ts'
import { type Outcome, onPath, run } from './run.ts'

/** Go programs that the tests build themselves because Debian does not have them: package and version. */
const sources = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.17.3',
  grpcurl: 'github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  'oauth2-proxy': 'github.com/oauth2-proxy/oauth2-proxy/v7@v7.15.6',
}
export type GoProgram = keyof typeof sources

const cache = join(programCache, 'go')
const binaries = join(cache, 'bin')
/** The path of the program in this version. */
const homeOf = (name: GoProgram) => join(binaries, basename(sources[name]))

/**
 * Finds a program on the PATH, or one that was built before.
 * @returns its path, or undefined
 */
export function findGoProgram(name: GoProgram): string | undefined {
  return onPath(name) ?? [join(homeOf(name), name)].find(existsSync)
}

/**
 * Builds the pinned version of a program once. If another worker is building it, waits for that one.
 * @returns whether it exists now
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
 * Builds a program of a Go module of this repository, unless that was done before with the same versions and source files.
 * @param directory the directory with the module's go.mod
 * @param name the program's directory in the module, by default the module's own
 * @param flags the flags for the linker
 * @param go the Go to build it with, by default that of the PATH
 * @returns its path
 * @throws Error with Go's message when it cannot be built
 */
export async function buildGoPackage(directory: string, name = '.', flags = '', go = 'go'): Promise<string> {
  const content = createHash('sha256').update(readFileSync(join(directory, 'go.mod')))
  for (const file of readdirSync(join(directory, name)).sort())
    content.update(readFileSync(join(directory, name, file)))
  const program = basename(join(directory, name))
  const path = join(binaries, `${program}-${content.digest('hex').slice(0, 12)}`)
  if (existsSync(path)) return path
  console.log(`Building ${program}; it takes some minutes, once.`)
  const build = ['build', '-trimpath', `-ldflags=-s -w ${flags}`, '-o', path, `./${name}`]
  const { ok, stderr } = await runGo([go, ...build], '-mod=readonly', directory)
  if (!ok) throw new Error(`the build of ${program} failed: ${stderr}`)
  return path
}

/**
 * Builds the programs that a Go module of this repository has as its tools, unless that was done before with the same versions.
 * @param directory the directory with the module's go.mod
 * @param tags the build tags, with commas between
 * @param go the Go to build them with, by default that of the PATH
 * @returns the directory with the programs
 * @throws Error with Go's message when they cannot be built
 */
export async function buildGoTools(directory: string, tags = '', go = 'go'): Promise<string> {
  const name = basename(directory)
  const content = createHash('sha256')
    .update(readFileSync(join(directory, 'go.mod')))
    .update(tags)
  const path = join(binaries, `${name}-${content.digest('hex').slice(0, 12)}`)
  if (existsSync(path)) return path
  console.log(`Building ${name}; it takes some minutes, once.`)
  const draft = `${path}-draft`
  rmSync(draft, { recursive: true, force: true })
  const build = [go, 'build', '-trimpath', '-ldflags=-s -w', '-tags', tags, '-o', `${draft}/`, 'tool']
  const { ok, stderr } = await runGo(build, '-mod=readonly', directory)
  if (!ok) throw new Error(`the build of ${name} failed: ${stderr}`)
  renameSync(draft, path)
  return path
}

/**
 * Downloads a Go module, for the files in it.
 * @param module its path and version, such as example.com/module@v1.2.3
 * @returns the directory with its files
 * @throws Error with Go's message when it cannot be downloaded
 */
export async function fetchGoModule(module: string): Promise<string> {
  const { ok, stdout, stderr } = await runGo(['go', 'mod', 'download', '-json', module])
  if (!ok) throw new Error(`${module}: ${stderr} ${stdout}`)
  return JSON.parse(stdout).Dir
}

/** Runs go, by default outside of this repository and its modules, one command at a time. */
function runGo(command: string[], flags = '-mod=mod', cwd = cache): Promise<Outcome> {
  mkdirSync(binaries, { recursive: true })
  const env = { ...process.env, GOFLAGS: `${flags} -buildvcs=false`, GOWORK: 'off' }
  const lock = onPath('flock')
  const [program = '', ...argv] = lock ? [lock, join(cache, 'lock'), ...command] : command
  return run(program, argv, { cwd, env })
}
