import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildGoProgram, findGoProgram, type GoProgram } from './go-programs.ts'
import { findPythonProgram, installPythonProgram, type PythonProgram } from './python-programs.ts'
import { onPath, run } from './run.ts'

export { run } from './run.ts'

/**
 * The programs that tests need and npm does not provide. `python3` has Authlib and PyJWT, `pip` is a Python with its installer, `golang` can
 * download modules, `golang-1.26` is that version or a newer one, `go` has golang.org/x/oauth2, `apache2` has mod_auth_openidc, `nginx`
 * has its JavaScript module, `java` and `javac` are 17 or newer, `django-oauth-toolkit` is a Python that has it, `flask-authlib` one that
 * has Flask and Authlib, `requests-oauth2client` one that has this library, `postgresql-15` is its server, the oldest that Gatehouse supports.
 */
export type Program =
  | GoProgram
  | PythonProgram
  | 'pip'
  | 'golang'
  | 'golang-1.26'
  | 'chromium'
  | 'python3'
  | 'go'
  | 'redis-server'
  | 'rabbitmq-server'
  | 'nats-server'
  | 'openssl'
  | 'apache2'
  | 'nginx'
  | 'java'
  | 'javac'
  | 'mvn'
  | 'prometheus'
  | 'promtool'
  | 'docker-compose'
  | 'libfaketime'
  | 'wrk'
  | 'pgbouncer'
  | 'postgresql-15'
  | 'curl'
  | 'unzip'
  | 'bash'
  | 'zsh'
  | 'fish'

/** Where Debian puts the modules of nginx. */
export const nginxModules = '/usr/lib/nginx/modules'

/** Where Debian puts the sources of Go libraries. */
export const goPath = '/usr/share/gocode'

type Wanted = {
  /** Finds a suitable program; undefined if there is none. */
  find(): string | undefined | Promise<string | undefined>
  /** The Debian packages to install if it is missing. */
  packages(): string[]
  /** If Debian does not have it: builds it, and returns whether that succeeded. */
  build?(): Promise<boolean>
  /** Finds a substitute, if it cannot be installed. */
  otherwise?(): string | undefined
}

function goProgram(name: GoProgram): Wanted {
  return {
    find: () => findGoProgram(name),
    packages: () => (onPath('go') ? [] : ['golang-go']),
    build: () => buildGoProgram(name),
  }
}

function pythonProgram(name: PythonProgram): Wanted {
  return {
    find: () => findPythonProgram(name),
    packages: () => (existsSync('/usr/bin/python3') ? ['python3-venv'] : ['python3', 'python3-venv']),
    build: () => installPythonProgram(name),
  }
}

/** A program of Java on the PATH, if its version is 17 or newer. */
async function ofJava17(name: string): Promise<string | undefined> {
  const path = onPath(name)
  const version = path && (await run(path, ['--version'])).stdout.match(/\d+/)
  return Number(version?.[0]) >= 17 ? path : undefined
}

const wanted: Record<Program, Wanted> = {
  chromium: {
    // The headless build, without the parts for windows, loads a page in a quarter of the time.
    find: () => process.env.CHROMIUM_PATH || onPath('chromium-headless-shell'),
    packages: () => ['chromium-headless-shell'],
    otherwise: () => onPath('chromium') || onPath('chromium-browser') || onPath('google-chrome'),
  },
  python3: {
    // The first one on the PATH may be the user's own, for which Debian's packages are not installed.
    async find() {
      for (const path of [onPath('python3'), '/usr/bin/python3']) {
        if (path && (await run(path, ['-c', 'import authlib, jwt, requests'])).ok) return path
      }
      return undefined
    },
    packages: () => ['python3', 'python3-authlib', 'python3-jwt', 'python3-requests'],
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
  'golang-1.26': {
    ...pythonProgram('golang-1.26'),
    async find() {
      const path = onPath('go')
      const version = path && (await run(path, ['env', 'GOVERSION'])).stdout.match(/^go1\.(\d+)/)
      return Number(version?.[1]) >= 26 ? path : findPythonProgram('golang-1.26')
    },
  },
  helm: process.platform === 'linux' && process.arch === 'x64' ? pythonProgram('helm') : goProgram('helm'),
  grpcurl: goProgram('grpcurl'),
  kubeconform: goProgram('kubeconform'),
  'oauth2-proxy': goProgram('oauth2-proxy'),
  schemathesis: pythonProgram('schemathesis'),
  'django-oauth-toolkit': pythonProgram('django-oauth-toolkit'),
  'flask-authlib': pythonProgram('flask-authlib'),
  'requests-oauth2client': pythonProgram('requests-oauth2client'),
  go: {
    find: () => (existsSync(join(goPath, 'src/golang.org/x/oauth2')) ? onPath('go') : undefined),
    packages: () => [...(onPath('go') ? [] : ['golang-go']), 'golang-golang-x-oauth2-dev'],
  },
  'redis-server': {
    find: () => onPath('redis-server'),
    packages: () => ['redis-server'],
  },
  'rabbitmq-server': {
    // The one on the PATH requires the system's own user and folders.
    find: () => ['/usr/lib/rabbitmq/bin/rabbitmq-server'].find(existsSync),
    packages: () => ['rabbitmq-server'],
  },
  // Debian installs it in /usr/sbin, which is not on every user's PATH.
  'nats-server': {
    find: () => onPath('nats-server') ?? ['/usr/sbin/nats-server'].find(existsSync),
    packages: () => ['nats-server'],
  },
  apache2: {
    // Debian installs it in /usr/sbin, and its modules where only Debian's own looks for them.
    async find() {
      const module = '/usr/lib/apache2/modules/mod_auth_openidc.so'
      return existsSync(module) ? ['/usr/sbin/apache2'].find(existsSync) : undefined
    },
    packages: () => ['libapache2-mod-auth-openidc'],
  },
  nginx: {
    find: () =>
      existsSync(join(nginxModules, 'ngx_http_js_module.so'))
        ? ['/usr/sbin/nginx'].find(existsSync)
        : undefined,
    packages: () => ['nginx', 'libnginx-mod-http-js'],
  },
  openssl: { find: () => onPath('openssl'), packages: () => ['openssl'] },
  // Kafka's brokers need 17.
  java: { find: () => ofJava17('java'), packages: () => ['default-jre-headless'] },
  javac: { find: () => ofJava17('javac'), packages: () => ['default-jdk-headless'] },
  mvn: { find: () => onPath('mvn'), packages: () => ['maven'] },
  prometheus: { find: () => onPath('prometheus'), packages: () => ['prometheus'] },
  promtool: { find: () => onPath('promtool'), packages: () => ['prometheus'] },
  'docker-compose': { find: () => onPath('docker-compose'), packages: () => ['docker-compose'] },
  // A library, which Debian has in the directory of the machine's kind.
  libfaketime: {
    find: () =>
      ['x86_64', 'aarch64']
        .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
        .find(existsSync),
    packages: () => ['libfaketime'],
  },
  wrk: { find: () => onPath('wrk'), packages: () => ['wrk'] },
  // Debian installs it in /usr/sbin, which is not on every user's PATH.
  pgbouncer: {
    find: () => onPath('pgbouncer') ?? ['/usr/sbin/pgbouncer'].find(existsSync),
    packages: () => ['pgbouncer'],
  },
  // Its server; Debian puts every version in a folder of its own.
  'postgresql-15': {
    find: () => ['/usr/lib/postgresql/15/bin/postgres'].find(existsSync),
    packages: () => ['postgresql-15'],
  },
  curl: { find: () => onPath('curl'), packages: () => ['curl'] },
  unzip: { find: () => onPath('unzip'), packages: () => ['unzip'] },
  bash: { find: () => onPath('bash'), packages: () => ['bash'] },
  zsh: { find: () => onPath('zsh'), packages: () => ['zsh'] },
  fish: { find: () => onPath('fish'), packages: () => ['fish'] },
}

/**
 * Finds a program. If it is missing, installs it first, on Debian and as root. Call it while the test file is loaded
 * (`const chromium = await program('chromium')`): no time limit applies then, and the tests can be skipped.
 * @returns its path; undefined when its tests must be skipped, which a line of output says
 * @throws Error when it is missing and nothing may be skipped (GATEHOUSE_TEST_FORBID_SKIP)
 */
export function program(name: Program): Promise<string | undefined> {
  const path = known.get(name) ?? look(name)
  known.set(name, path)
  return path
}

/** The programs found so far, for all files that a worker runs. */
const known = new Map<Program, Promise<string | undefined>>()

async function look(name: Program): Promise<string | undefined> {
  const { find, packages, build, otherwise } = wanted[name]
  const found =
    (await find()) ??
    ((await installPackages(packages())) ? await find() : undefined) ??
    ((await build?.()) ? await find() : undefined) ??
    otherwise?.()
  if (found) return found
  const line = `${name} is missing (${build ? 'the tests install it, with Go or Python' : `Debian: ${packages().join(' ')}`})`
  if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
  console.log(`${line}: its tests are skipped.`)
  return undefined
}

/** Forbids packages to start their system services (policy-rc.d of Debian's invoke-rc.d). */
const installScript = `
dpkg -s "$@" >/dev/null 2>&1 && exit
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap "rm -f $policy" EXIT
  trap 'exit 1' INT TERM
  printf '#!/bin/sh\\nexit 101\\n' >$policy && chmod +x $policy
fi
apt-get -q update && apt-get -qy --no-install-recommends install "$@"`

/**
 * Installs packages of Debian, where that is possible. If another worker is installing them, waits for that one.
 * @returns whether they are installed now
 */
export async function installPackages(packages: string[]): Promise<boolean> {
  if (packages.length === 0) return true
  const isDebian = existsSync('/etc/debian_version') && onPath('apt-get') && onPath('flock')
  if (!isDebian || process.getuid?.() !== 0) return false
  console.log(`Installing ${packages.join(' ')} for the tests.`)
  // The kernel releases the lock of a run that was killed.
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
