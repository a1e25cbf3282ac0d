import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** How /proc counts CPU time: USER_HZ is 100 on every platform that Node.js runs on. */
export const ticksPerSecond = 100

/** The CPU time of a process, in ticks; undefined when it has ended. */
export type ProcessTime = {
  parent: number
  own: number
  /** The CPU time of its children that have ended and for which it has waited. */
  reaped: number
}

/** Reads /proc/PID/stat (proc_pid_stat(5)). */
export function processTime(pid: number): ProcessTime | undefined {
  const text = read(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  // The program's name is in brackets and may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (index: number) => Number(fields[index])
  return { parent: field(1), own: field(11) + field(12), reaped: field(13) + field(14) }
}

/** A process and all of its descendants. */
export function processTree(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), processTime(Number(name))?.parent] as const)
  const found = [root]
  for (const parent of found) {
    for (const [pid, of] of parents) if (of === parent) found.push(pid)
  }
  return found
}

/** Memory of a process in bytes, from /proc/PID/status. */
export type ProcessMemory = {
  /** The most resident memory since the process began, or since forgetPeak. */
  peak: number
  /** Its own current memory, without files. */
  anonymous: number
  /** Shared memory that it has touched. */
  shared: number
}

/** Reads it; undefined when the process has ended. */
export function processMemory(pid: number): ProcessMemory | undefined {
  const text = read(`/proc/${pid}/status`)
  if (text === undefined) return undefined
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { peak: field('VmHWM'), anonymous: field('RssAnon'), shared: field('RssShmem') }
}

/** Resets a process's peak. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Some containers forbid it; then the peak counts from the start of the process.
  }
}

/** Ticks of all cores together. */
export type MachineTime = { total: number; idle: number; stolen: number }

/** Reads /proc/stat. `stolen` is the time that the host of a virtual machine gave to others. */
export function machineTime(): MachineTime {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0] = line
    .split(/ +/)
    .slice(1)
    .map(Number)
  return {
    total: user + nice + system + idle + waiting + irq + softirq + stolen,
    idle: idle + waiting,
    stolen,
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
