import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { programCache } from './program-cache.ts'
import { onPath, run } from './run.ts'

/** Python programs that the tests install themselves because Debian does not have them, with their versions. */
const versions = { schemathesis: '4.32.5' }
export type PythonProgram = keyof typeof versions

const homeOf = (name: PythonProgram) => join(programCache, `${name}-${versions[name]}`)

/**
 * Finds a program that was installed before, or one on the PATH.
 * @returns its path, or undefined
 */
export function findPythonProgram(name: PythonProgram): string | undefined {
  return [join(homeOf(name), 'bin', name)].find(existsSync) ?? onPath(name)
}

/**
 * Installs the pinned version of a program once, in its own environment.
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
    'test -x "$1/bin/$2" && exit',
    'rm -rf "$1"',
    'python3 -m venv "$1"',
    '"$1/bin/python3" -m pip install --quiet --disable-pip-version-check "$2==$3" || { rm -rf "$1"; exit 1; }',
  ].join('\n')
  const command = ['sh', '-ec', install, 'sh', home, name, versions[name]]
  const [program = '', ...argv] = lock ? [lock, `${home}.lock`, ...command] : command
  const outcome = await run(program, argv)
  if (!outcome.ok) console.log(`The installation failed: ${outcome.stderr.trim().split('\n').at(-1)}`)
  return outcome.ok
}
