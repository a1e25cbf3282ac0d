import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '@gatehouse/test/programs/programs'

/** libfaketime for processes with threads. */
const library = await program('libfaketime')

/** Whether the clock of one process can jump on this machine. */
export const hasClocks = library !== undefined

/** How far a clock jumps at most, in milliseconds. */
export const longestJump = 90_000

/** The clocks of the processes. Each has its own, which only its wall time shows: its monotonic clock never jumps. */
export type Clocks = {
  /** The variables with which a process gets a clock of its own. */
  variablesOf(name: string): Record<string, string>
  /** Sets a clock, which the process follows within a second. @param offset milliseconds from the true time */
  set(name: string, offset: number): void
}

/** Prepares clocks in a directory. Without the library, every process has the true time. */
export function createClocks(directory: string): Clocks {
  mkdirSync(directory)
  const fileOf = (name: string) => join(directory, name)
  const set = (name: string, offset: number) =>
    writeFileSync(fileOf(name), `${offset < 0 ? '' : '+'}${offset / 1_000}\n`)
  return {
    set,
    variablesOf(name) {
      if (library === undefined) return {}
      set(name, 0)
      return {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: fileOf(name),
        FAKETIME_CACHE_DURATION: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }
    },
  }
}
