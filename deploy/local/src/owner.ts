import type { Stats } from 'node:fs'
import { StartFailure } from './failure.ts'

/**
 * Judges a file with a secret before it is read. Root may use files of other users, for whom it starts systems.
 * @param user the id of the user of this process; undefined where the operating system has none
 * @throws StartFailure, in a line, when another user of the machine owns the file or may write it
 */
export function refuseOthersFile(
  file: string,
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  user: number | undefined = process.getuid?.(),
): void {
  if (user === undefined) return
  if (user !== 0 && uid !== user && uid !== 0)
    throw new StartFailure(`${file} belongs to another user of this machine: make it yours`)
  if ((mode & 0o022) !== 0)
    throw new StartFailure(`Other users of this machine may write ${file}: check it, then chmod 600 ${file}`)
}
