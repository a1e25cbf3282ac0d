import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildGoProgram, findGoProgram, type GoProgram } from './go-programs.ts'
import { findPythonProgram, installPythonProgram, type PythonProgram } from './python-programs.ts'
import { onPath, run } from './run.ts'

export { run } from './run.ts'

/**
 * What tests need and npm does not bring. `python3` is one with Authlib, `pip` one with its installer, `golang` any that
 * fetches modules, `go` one with golang.org/x/oauth2, `java` is 17 or newer.
 */
export type Program =
  | GoProgram
  | PythonProgram
  | 'pip'
  | 'golang'
  | 'chromium'
  | 'python3'
  | 'go'
  | 'redis-server'
  | 'rabbitmq-server'
  | 'nats-server'
  | 'openssl'
  | 'java'
  | 'mvn'
  | 'prometheus'
  | 'promtool'
  | 'docker-compose'
  | 'curl'
  | 'bash'
  | 'zsh'

/** Where Debian has the sources of Go libraries. */
export const goPath = '/usr/share/gocode'

type Wanted = {
  /** The program that serves, or undefined when none does. */
  find(): string | undefined | Promise<string | undefined>
  /** Debian's packages that are missing. */
  packages(): string[]
  /** Where Debian has none: makes it, and says whether it did. */
  build?(): Promise<boolean>
  /** Finds what serves as well, where it cannot be installed. */
  otherwise?(): string | undefined
}

function goProgram(name: GoProgram): Wanted {
  return {
    find: () => findGoProgram(name),
    packages: () => (onPath('go') ? [] : ['golang-go']),
    build: () => buildGoProgram(name),
  }
}

const wanted: Record<Program, Wanted> = {
  chromium: {
    // Without the parts that only a window needs, a page takes a quarter of the time.
    find: () => process.env.CHROMIUM_PATH || onPath('chromium-headless-shell'),
    packages: () => ['chromium-headless-shell'],
    otherwise: () => onPath('chromium') || onPath('chromium-browser') || onPath('google-chrome'),
  },
  python3: {
    // The first on the PATH may be one of the user's own, which Debian's packages do not serve.
    async find() {
      for (const path of [onPath('python3'), '/usr/bin/python3']) {
        if (path && (await run(path, ['-c', 'import authlib, requests'])).ok) return path
      }
      return undefined
    },
    packages: () => ['python3', 'python3-authlib', 'python3-requests'],
  },
  pip: {
    async find() {
      for (const path of [onPath('python3'), '/usr/bin/python3']) {
        if (path && (await run(path, ['-m', 'pip', '--version'])).ok) return path
      }
      return undefined
    },
    packages: () => ['python3-pip'],
  },
  golang: { find: () => onPath('go'), packages: () => ['golang-go'] },
  helm: goProgram('helm'),
  kubeconform: goProgram('kubeconform'),
  schemathesis: {
    find: () => findPythonProgram('schemathesis'),
    packages: () => (existsSync('/usr/bin/python3') ? ['python3-venv'] : ['python3', 'python3-venv']),
    build: () => installPythonProgram('schemathesis'),
  },
  go: {
    find: () => (existsSync(join(goPath, 'src/golang.org/x/oauth2')) ? onPath('go') : undefined),
    packages: () => [...(onPath('go') ? [] : ['golang-go']), 'golang-golang-x-oauth2-dev'],
  },
  'redis-server': {
    find: () => onPath('redis-server'),
    packages: () => ['redis-server'],
  },
  'rabbitmq-server': {
    // The one on the PATH insists on the system's own user and folders.
    find: () => ['/usr/lib/rabbitmq/bin/rabbitmq-server'].find(existsSync),
    packages: () => ['rabbitmq-server'],
  },
  // Debian has it in /usr/sbin, which is not on everybody's PATH.
  'nats-server': {
    find: () => onPath('nats-server') ?? ['/usr/sbin/nats-server'].find(existsSync),
    packages: () => ['nats-server'],
  },
  openssl: { find: () => onPath('openssl'), packages: () => ['openssl'] },
  java: {
    // Kafka's brokers need 17.
    async find() {
      const path = onPath('java')
      const version = path && (await run(path, ['--version'])).stdout.match(/\d+/)
      return Number(version?.[0]) >= 17 ? path : undefined
    },
    packages: () => ['default-jre-headless'],
  },
  mvn: { find: () => onPath('mvn'), packages: () => ['maven'] },
  prometheus: { find: () => onPath('prometheus'), packages: () => ['prometheus'] },
  promtool: { find: () => onPath('promtool'), packages: () => ['prometheus'] },
  'docker-compose': { find: () => onPath('docker-compose'), packages: () => ['docker-compose'] },
  curl: { find: () => onPath('curl'), packages: () => ['curl'] },
  bash: { find: () => onPath('bash'), packages: () => ['bash'] },
  zsh: { find: () => onPath('zsh'), packages: () => ['zsh'] },
}

/**
 * Finds a program, and installs it first where it is missing, on Debian and as root. Call it while the test file is
 * loaded (`const chromium = await program('chromium')`): no time limit applies there, and the tests can be skipped.
 * @returns its path; undefined, with a line that says so, when the tests that need it are to be skipped
 * @throws Error when it is missing although nothing may be skipped (GATEHOUSE_TEST_FORBID_SKIP)
 */
export function program(name: Program): Promise<string | undefined> {
  const path = known.get(name) ?? look(name)
  known.set(name, path)
  return path
}

/** What was found, for the files that a worker runs one after the other. */
const known = new Map<Program, Promise<string | undefined>>()

async function look(name: Program): Promise<string | undefined> {
  const { find, packages, build, otherwise } = wanted[name]
  const found =
    (await find()) ??
    ((await install(packages())) ? await find() : undefined) ??
    ((await build?.()) ? await find() : undefined) ??
    otherwise?.()
  if (found) return found
  const line = `${name} is missing (${build ? 'the tests install it, with Go or Python' : `Debian: ${packages().join(' ')}`})`
  if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
  console.log(`${line}: its tests are skipped.`)
  return undefined
}

/** A package with a system service would start it, if nothing forbade that (policy-rc.d of Debian's invoke-rc.d). */
const installScript = `
dpkg -s "$@" >/dev/null 2>&1 && exit
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap "rm -f $policy" EXIT
  trap 'exit 1' INT TERM
  printf '#!/bin/sh\\nexit 101\\n' >$policy && chmod +x $policy
fi
apt-get -q update && apt-get -qy --no-install-recommends install "$@"`

/** Whether the packages are there now. Waits while another worker installs, and then has nothing to do. */
async function install(packages: string[]): Promise<boolean> {
  if (packages.length === 0) return true
  const isDebian = existsSync('/etc/debian_version') && onPath('apt-get') && onPath('flock')
  if (!isDebian || process.getuid?.() !== 0) return false
  console.log(`Installing ${packages.join(' ')} for the tests.`)
  // The kernel frees the lock of a run that was killed.
  const outcome = await run(
    'flock',
    ['/tmp/gatehouse-test-programs.lock', 'sh', '-c', installScript, 'sh', ...packages],
    {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    },
  )
  if (!outcome.ok) console.log(`The installation failed: ${outcome.stderr.trim().split('\n').at(-1)}`)
  return outcome.ok
}
