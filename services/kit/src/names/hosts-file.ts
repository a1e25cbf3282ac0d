import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** Gives the addresses that a hosts file has for a name, in lower case and without a dot at its end; none for another name. */
export type HostsFile = (name: string) => readonly string[]

/**
 * Reads a hosts file (hosts(5)), and again when it has changed. A file that cannot be read has no names. It is read without
 * libuv's threads, of which look-ups by getaddrinfo may hold all.
 */
export function createHostsFile(path: string): HostsFile {
  let read: string | undefined
  let names = new Map<string, string[]>()
  return (name) => {
    const version = versionOf(path)
    if (version !== read) names = version === undefined ? new Map() : namesIn(textOf(path))
    read = version
    return names.get(name) ?? []
  }
}

/** Differs when the file was changed or replaced; undefined for none. */
function versionOf(path: string): string | undefined {
  const { ino, mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return ino === undefined ? undefined : `${ino} ${mtimeMs} ${size}`
}

/** The text of a file; empty for one that does not exist or may not be read. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return ''
    throw error
  }
}

function namesIn(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...named] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of named.map((one) => one.toLowerCase()))
      names.set(name, [...(names.get(name) ?? []), address])
  }
  return names
}
