import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFailure } from './failure.ts'

/** A directory that this process uses exclusively. */
export type Lock = {
  /** Whether the previous holder ended without releasing the lock, because it was killed. */
  afterCrash: boolean
  release(): void
}

/** SQLITE_BUSY */
const busy = 5

/**
 * Locks a directory for this process. The operating system holds the lock (SQLite's file lock, the only one that Node.js
 * has), so a killed process leaves none behind, and two processes cannot both get it.
 * @param directory an existing directory
 * @param name distinguishes several locks in one directory
 * @throws StartFailure when another process has it
 */
export function lockDirectory(directory: string, name: string): Lock {
  const holderFile = join(directory, `${name}.pid`)
  const lockFile = join(directory, `${name}.lock`)
  // No other user may open it: even a reader's lock would block us.
  closeSync(openSync(lockFile, 'a', 0o600))
  const database = new DatabaseSync(lockFile)
  try {
    database.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    const holder = readHolder(holderFile)
    throw new StartFailure(
      `${directory} is in use by another Gatehouse${holder ? ` (process ${holder})` : ''}: ` +
        'stop that one, or set GATEHOUSE_DATA_DIR to another directory',
    )
  }
  const afterCrash = readHolder(holderFile) !== undefined
  // Made anew, because a file keeps the mode that it was made with.
  rmSync(holderFile, { force: true })
  writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 })
  return {
    afterCrash,
    release() {
      if (!database.isOpen) return
      rmSync(holderFile, { force: true })
      database.close()
    },
  }
}

function readHolder(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
