import { BenchFailure } from '../failure.ts'
import {
  forgetPeak,
  type MachineTime,
  machineTime,
  processMemory,
  processTime,
  processTree,
  ticksPerSecond,
} from './proc.ts'

/** A process that is watched. */
export type Watched = {
  name: string
  pid(): number | undefined
  /** Its descendants count as part of it. */
  tree?: boolean
}

/** The resources that a process used. */
export type ProcessUsage = {
  name: string
  /** 1 is one core all the time. */
  cores: number
  /** The most resident memory in bytes; of a tree the current memory, with shared memory counted once. Unknown for wrk. */
  memory: number | undefined
}

/** The use of the machine. Shares are of all cores. */
export type Usage = {
  seconds: number
  processes: ProcessUsage[]
  idle: number
  /** The share of programs outside the benchmark: the smaller, the better the measurement. */
  others: number
  /** The share that the host of a virtual machine took. */
  stolen: number
}

type Snapshot = {
  at: number
  machine: MachineTime
  pids: (number | undefined)[]
  ticks: number[]
  wrk: number
}

/**
 * Watches processes, including this one and its children that end in that time (wrk).
 * @returns the function that stops watching
 * @throws BenchFailure, at the end, when one of them was replaced by another process
 */
export function watch(processes: readonly Watched[]): () => Usage {
  for (const { pid } of processes) forgetPeak(pid() ?? 0)
  forgetPeak(process.pid)
  const before = look(processes)
  return () => compare(processes, before, look(processes))
}

function look(processes: readonly Watched[]): Snapshot {
  const own = processTime(process.pid)
  const pids = processes.map(({ pid }) => pid())
  const ticks = processes.map(({ tree }, index) => {
    const root = pids[index]
    if (root === undefined) return 0
    const times = (tree ? processTree(root) : [root]).map(processTime)
    // The CPU time of an ended child is in its parent's numbers.
    return times.reduce((sum, time) => sum + (time?.own ?? 0) + (tree ? (time?.reaped ?? 0) : 0), 0)
  })
  return {
    at: performance.now(),
    machine: machineTime(),
    pids: [...pids, process.pid],
    ticks: [...ticks, own?.own ?? 0],
    wrk: own?.reaped ?? 0,
  }
}

function compare(processes: readonly Watched[], before: Snapshot, after: Snapshot): Usage {
  const seconds = (after.at - before.at) / 1000
  const cores = (ticks: number) => ticks / ticksPerSecond / seconds
  const usages: ProcessUsage[] = [...processes, { name: 'launcher' } as Watched].map(
    ({ name, tree }, index) => {
      const pid = after.pids[index]
      if (pid === undefined || pid !== before.pids[index])
        throw new BenchFailure(`${name} ended during the run`)
      return {
        name,
        cores: cores((after.ticks[index] ?? 0) - (before.ticks[index] ?? 0)),
        memory: tree ? treeMemory(pid) : processMemory(pid)?.peak,
      }
    },
  )
  usages.push({ name: 'wrk', cores: cores(after.wrk - before.wrk), memory: undefined })
  const total = after.machine.total - before.machine.total
  const idle = (after.machine.idle - before.machine.idle) / total
  const stolen = (after.machine.stolen - before.machine.stolen) / total
  const ours = (usages.reduce((sum, usage) => sum + usage.cores, 0) * seconds * ticksPerSecond) / total
  return { seconds, processes: usages, idle, stolen, others: Math.max(0, 1 - idle - stolen - ours) }
}

function treeMemory(root: number): number {
  const all = processTree(root).flatMap((pid) => processMemory(pid) ?? [])
  return all.reduce((sum, one) => sum + one.anonymous, 0) + Math.max(...all.map((one) => one.shared))
}
