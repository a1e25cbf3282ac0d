import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'

const largest = 20 * 1024 * 1024

/**
 * Opens a log for appending, for its owner only. One that has grown past 20 MiB is put aside first (as FILE.1).
 * @returns its file descriptor; the caller closes it
 */
export function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > largest) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}

/** The size of a log in bytes; 0 when there is none. */
export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** What a log got since it had `from` bytes, 64 KiB at most. */
export function readLog(file: string, from: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const end = fstatSync(descriptor).size
    const start = Math.max(from, end - 65_536)
    const buffer = Buffer.alloc(Math.max(0, end - start))
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, start))
  } finally {
    closeSync(descriptor)
  }
}
