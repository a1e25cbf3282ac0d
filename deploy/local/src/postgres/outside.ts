import { createHash } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { chmod, cp, lstat, mkdir, realpath, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'

/** Where to put files, preferably in folders that survive a restart of the machine. */
const bases = ['/var/lib', '/opt', '/var/tmp', '/tmp']

/**
 * Puts PostgreSQL's binaries and its folder where a user other than root may enter, and leaves a link in place of the
 * folder. Files that an earlier start put there are used again.
 * @param folder the database's folder, or the link in its place
 * @returns the new places
 * @throws Error when no other place can be used
 */
export async function moveOutside(
  folder: string,
  binaries: Binaries,
): Promise<{ binaries: string; home: string }> {
  if (lstatSync(folder).isSymbolicLink()) {
    const home = await realpath(folder)
    return { home, binaries: await copyBinaries(dirname(home), binaries) }
  }
  const name = `gatehouse-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`
  for (const base of bases) {
    const place = join(base, name)
    if (!isEnterable(base) || !(await makeOwn(place))) continue
    const home = join(place, 'postgres')
    // It is left from a move that was interrupted before the link was created, so the original is complete.
    await rm(home, { recursive: true, force: true })
    const copied = await copyBinaries(place, binaries)
    await cp(folder, home, { recursive: true, verbatimSymlinks: true })
    await chmod(home, 0o700)
    await rm(`${folder}.link`, { force: true })
    await symlink(home, `${folder}.link`)
    await rename(folder, `${folder}.moved`)
    await rename(`${folder}.link`, folder)
    await rm(`${folder}.moved`, { recursive: true })
    return { home, binaries: copied }
  }
  throw new Error(`none of ${bases.join(', ')} can be used by root and entered by others`)
}

/** Moves a folder back if its move was interrupted between the last two steps. */
export async function undoHalfMove(folder: string): Promise<void> {
  const moved = `${folder}.moved`
  if (!existsSync(moved)) return
  if (lstatSync(folder, { throwIfNoEntry: false })) await rm(moved, { recursive: true })
  else await rename(moved, folder)
}

async function copyBinaries(place: string, binaries: Binaries): Promise<string> {
  const target = join(place, `postgresql-${binaries.version}`)
  if (existsSync(target)) return target
  const unfinished = `${target}.new`
  await rm(unfinished, { recursive: true, force: true })
  await cp(binaries.directory, unfinished, {
    recursive: true,
    verbatimSymlinks: true,
    // Static libraries are only for compiling against PostgreSQL.
    filter: (source) => !source.endsWith('.a'),
  })
  await rename(unfinished, target)
  return target
}

/** Creates a folder, or uses it if root owns it: in /tmp another user may have created one with that name. */
async function makeOwn(place: string): Promise<boolean> {
  try {
    await mkdir(place, { mode: 0o711 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false
    if (code !== 'EEXIST') throw error
    const found = await lstat(place)
    if (!found.isDirectory() || found.uid !== 0) return false
  }
  // The umask may have removed permissions.
  await chmod(place, 0o711)
  return true
}

function isEnterable(directory: string): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false })
  return found?.isDirectory() === true && (found.mode & 0o001) !== 0
}
