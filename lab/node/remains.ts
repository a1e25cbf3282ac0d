import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cgroupName, runDirectory } from './places.ts'

const controllers = '/sys/fs/cgroup'
/** Where programs of the node insist on a directory of the machine; in the node's own view another one is mounted there. */
const directories = ['/var/lib/kubelet', '/var/lib/cni']

/** The node's group of each controller of this machine. */
function groups(): string[] {
  return readdirSync(controllers)
    .filter((name) => existsSync(join(controllers, name, 'cgroup.procs')))
    .map((name) => join(controllers, name, cgroupName))
}

/**
 * Makes the directories and groups that a node takes from the machine.
 * @throws Error on a machine with cgroup v2 alone
 */
export function makeRoom(): void {
  if (!existsSync(join(controllers, 'memory'))) throw new Error('The node was built for cgroup v1.')
  for (const directory of directories) mkdirSync(directory, { recursive: true })
  for (const group of groups()) {
    mkdirSync(group, { recursive: true })
    // A group of the controller cpuset has no processor and no memory until it is told.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const above = join(group, '..', file)
      if (existsSync(above)) writeFileSync(join(group, file), readFileSync(above))
    }
    // Otherwise all pods together would weigh as much as one other process of the machine.
    const shares = join(group, 'cpu.shares')
    if (existsSync(shares)) writeFileSync(shares, '8192')
  }
}

/** Removes what a node that has ended left on the machine. */
export async function removeRemains(): Promise<void> {
  for (const group of groups()) await removeGroup(group)
  for (const directory of directories.filter(existsSync)) {
    // Not empty: then it is somebody else's.
    if (readdirSync(directory).length === 0) rmdirSync(directory)
  }
  rmSync(runDirectory, { recursive: true, force: true })
}

/** Removes a group with those below it. The kernel needs a moment to forget processes that have ended. */
async function removeGroup(group: string): Promise<void> {
  if (!existsSync(group)) return
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) await removeGroup(join(group, entry.name))
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      rmdirSync(group)
      return
    } catch {
      await sleep(100)
    }
  }
}
