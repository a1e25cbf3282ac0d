import type { ChildProcess } from 'node:child_process'

const endings = new Map<ChildProcess, () => void>()
// One listener for all, because a test file may start more processes than Node.js expects listeners.
process.once('exit', () => {
  for (const end of endings.values()) end()
})

/**
 * Ends a child when this process ends, if it is still there.
 * @param end sends the signal, by default SIGKILL to the child alone
 */
export function endWithUs(child: ChildProcess, end: () => void = () => child.kill('SIGKILL')): void {
  endings.set(child, end)
  child.once('exit', () => endings.delete(child))
}
