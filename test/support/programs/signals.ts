import { execFileSync } from 'node:child_process'

/** Sends a signal to a process and all of its descendants, parents first. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const parents = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  const tree = [pid]
  for (const one of tree) tree.push(...parents.filter(([, parent]) => parent === one).map(([child]) => child))
  for (const one of tree) {
    try {
      process.kill(one, signal)
    } catch (error) {
      // A child may have ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
