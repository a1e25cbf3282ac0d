import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { entryOf, type ServiceName } from '@gatehouse/local/services'
import type { System } from '@gatehouse/local/system'
import { BenchFailure } from '../failure.ts'
import { rootDirectory } from '../repository.ts'
import { profileSignal } from './profiler.ts'

/** Takes profiles of some of the system's processes while they are under load. */
export type Profiles = {
  /** The file that must run each service. */
  entry(name: ServiceName): string
  /** Begins and ends a profile of each process; one at a time. The label becomes part of the file's name. */
  begin(system: System, label: string): Promise<void>
  end(system: System): Promise<void>
  /** The files written so far. */
  files: { process: ServiceName; label: string; file: string }[]
  /** Their folder, relative to the repository. */
  folder: string
}

const longestWait = 20_000

/**
 * Prepares profiles.
 * @param names the processes to profile
 * @param directory a directory for temporary files
 * @param date the name of the folder for the profiles
 */
export function prepareProfiles(names: readonly ServiceName[], directory: string, date: string): Profiles {
  const folder = join(rootDirectory, '.gatehouse', 'profiles', date)
  mkdirSync(folder, { recursive: true })
  const profiler = new URL('profiler.ts', import.meta.url).href
  for (const name of names) {
    const prefix = JSON.stringify(join(directory, name))
    const service = JSON.stringify(new URL(entryOf(name), 'file:').href)
    const lines = [
      `import { profileOnSignal } from '${profiler}'`,
      `profileOnSignal(${prefix})`,
      `await import(${service})`,
    ]
    writeFileSync(entryFile(name), `${lines.join('\n')}\n`)
  }
  const files: Profiles['files'] = []
  let count = 0
  let current = ''

  function entryFile(name: ServiceName): string {
    return join(directory, `${name}.mjs`)
  }

  /** Signals all processes, and waits until each has written its file. */
  async function signalAll(system: System, suffix: string): Promise<void> {
    for (const service of system.processes) if (names.includes(service.name)) service.kill(profileSignal)
    const deadline = performance.now() + longestWait
    for (const name of names) {
      while (!existsSync(join(directory, `${name}-${count}.${suffix}`))) {
        if (performance.now() > deadline) throw new BenchFailure(`${name} wrote no profile within 20 s`)
        await sleep(50)
      }
    }
  }

  return {
    entry: (name) => (names.includes(name) ? entryFile(name) : entryOf(name)),
    async begin(system, label) {
      count++
      current = label
      await signalAll(system, 'started')
    },
    async end(system) {
      await signalAll(system, 'cpuprofile')
      for (const name of names) {
        const written = join(directory, `${name}-${count}`)
        const file = join(folder, `${name}-${current}.cpuprofile`)
        renameSync(`${written}.cpuprofile`, file)
        rmSync(`${written}.started`)
        files.push({ process: name, label: current, file })
      }
    },
    files,
    folder: relative(rootDirectory, folder),
  }
}
