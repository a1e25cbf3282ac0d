import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { serviceNames } from '../src/services.ts'

/** A directory with stand-ins for the services, gone after the test. */
type Workspace = {
  directory: string
  data: string
  env: NodeJS.ProcessEnv
  /** From now on one of the services misbehaves, as `token:crash`; without an instruction all behave. */
  behave(instruction?: string): void
}

export function makeWorkspace(): Workspace {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-local-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const name of serviceNames) {
    const fixture = new URL('fixtures/service.ts', import.meta.url).href
    writeFileSync(join(directory, `${name}.mjs`), `import ${JSON.stringify(fixture)}\n`)
  }
  const data = join(directory, 'data')
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    GATEHOUSE_DATA_DIR: data,
    OAUTH2_SERVER_HOST: '127.0.0.1',
    OAUTH2_SERVER_PORT: '0',
    TEST_DIRECTORY: directory,
  }
  const behave = (instruction = '') => writeFileSync(join(directory, 'behaviour'), instruction)
  return { directory, data, env, behave }
}

/** The command lines of all processes on this machine that name a directory. */
export function processesOf(directory: string): string[] {
  return commandLines().filter((line) => line.includes(directory))
}

function commandLines(): string[] {
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['-A', '-o', 'command='], { encoding: 'utf8' }).split('\n')
  }
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        return ''
      }
    })
}

/** Waits until something is so. Throws with the last value after 30 s: a start takes more than 8 s on a busy machine. */
export async function until<Value>(look: () => Value | Promise<Value>, isSo: (value: Value) => boolean) {
  const deadline = performance.now() + 30_000
  for (;;) {
    const value = await look()
    if (isSo(value)) return value
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`)
    await sleep(20)
  }
}
