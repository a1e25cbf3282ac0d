import type { Stats } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandFailure } from './failure.ts'

/** How errors tell of a file: its content, and how to name another one. */
type Words = { content: string; elsewhere: string }

const ofLogins: Words = { content: 'logins', elsewhere: 'Set GATEHOUSE_CONFIG to a file of your own.' }

/** The ids of users of the operating system as which a command runs; undefined where there are none. */
type Owner = number | undefined

/**
 * Reads a file with secrets, unless another user of the machine could have written it, or can read it. Files of root that only root
 * can write are trusted, since they are mounted so.
 * @returns undefined when there is no such file
 * @throws CommandFailure, in a line
 */
export async function readOwnFile(
  file: string,
  user: Owner = process.getuid?.(),
  words = ofLogins,
): Promise<string | undefined> {
  const handle = await open(file, 'r').catch((error: unknown) => failed(file, 'read', error, words))
  if (handle === undefined) return undefined
  try {
    judgeFile(file, await handle.stat(), user, words)
    return await handle.readFile('utf8')
  } catch (error) {
    return failed(file, 'read', error, words)
  } finally {
    await handle.close()
  }
}

/**
 * Writes a file with secrets, which only its owner can read, by a draft beside it, so that it is never half written. It writes
 * neither into a folder in which another user of the machine could replace the file, nor over another user's file.
 * @throws CommandFailure, in a line
 */
export async function writeOwnFile(
  file: string,
  content: string,
  user: Owner = process.getuid?.(),
  words = ofLogins,
): Promise<void> {
  const folder = dirname(file)
  const draft = `${file}.${process.pid}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    judgeFolder(folder, await stat(folder), user, words)
    const before = await stat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (before) judgeFile(file, before, user, words)
    await rm(draft, { force: true })
    // Only a new file: one that somebody put there meanwhile keeps their mode.
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(content)
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    failed(file, 'written', error, words)
  }
}

/** @returns undefined when there is no such file to read */
function failed(file: string, what: 'read' | 'written', error: unknown, { elsewhere }: Words): undefined {
  if (error instanceof CommandFailure) throw error
  const { code } = error as NodeJS.ErrnoException
  if (what === 'read' && code === 'ENOENT') return undefined
  throw new CommandFailure(`${file} cannot be ${what} (${code}).${code === 'EACCES' ? ` ${elsewhere}` : ''}`)
}

/** @throws CommandFailure */
function judgeFile(file: string, { uid, mode }: Stats, user: Owner, words: Words): void {
  if (user === undefined) return
  refuseOthers(file, uid, user, words)
  const allowed = uid === user ? 0o700 : 0o755
  if ((mode & 0o777 & ~allowed) === 0) return
  throw new CommandFailure(
    `Other users of this machine may read or write ${file}, which has ${words.content}: chmod 600 ${file}`,
  )
}

/** @throws CommandFailure */
function judgeFolder(folder: string, { uid, mode }: Stats, user: Owner, words: Words): void {
  if (user === undefined) return
  refuseOthers(folder, uid, user, words)
  // In a folder with the sticky bit, as /tmp, nobody replaces files of others.
  if ((mode & 0o1002) !== 0o002) return
  throw new CommandFailure(`Every user of this machine may write in ${folder}: chmod o-w ${folder}`)
}

function refuseOthers(path: string, uid: number, user: number, { elsewhere }: Words): void {
  if (uid === user || uid === 0) return
  throw new CommandFailure(`${path} belongs to another user of this machine. ${elsewhere}`)
}
