import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { run } from './programs.ts'

/** A separate network for some processes, with a virtual cable to this machine that can be cut. */
export type NetworkNamespace = {
  /** This machine's address on the cable: servers for the processes inside must listen here. */
  hostAddress: string
  /** The address of the processes inside. */
  address: string
  /** The command, with its arguments, that runs another program inside. */
  within: string[]
  /** Cuts the cable: from now on every packet in either direction is silently lost. */
  cut(): Promise<void>
  heal(): Promise<void>
  /** Removes the network. The processes inside must have ended before. */
  close(): Promise<void>
}

const ip = ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip', '/bin/ip'].find(existsSync) ?? 'ip'

/** Contains the process id, so that the next run finds the namespaces that a killed run left behind. */
const prefix = 'gatehouse-test-'
let made = 0

async function command(...argv: string[]): Promise<string> {
  const { ok, stdout, stderr } = await run(ip, argv)
  if (!ok) throw new Error(`ip ${argv.join(' ')}: ${stderr.trim()}`)
  return stdout
}

/** Creates a namespace, with addresses of a network that is reserved for tests (RFC 2544). */
export async function createNetworkNamespace(): Promise<NetworkNamespace> {
  await removeLeftovers()
  made += 1
  const name = `${prefix}${process.pid}-${made}`
  const cable = `gh${process.pid.toString(36)}n${made}`
  const network = await freeNetwork()
  const [hostAddress, address] = [`${network}.1`, `${network}.2`]
  const inside = (...argv: string[]) => command('-n', name, ...argv)
  const close = async () => {
    await run(ip, ['link', 'del', cable])
    await command('netns', 'del', name)
  }
  await command('netns', 'add', name)
  try {
    await command('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'cable', 'netns', name)
    await command('addr', 'add', `${hostAddress}/30`, 'dev', cable)
    await command('link', 'set', cable, 'up')
    await inside('addr', 'add', `${address}/30`, 'dev', 'cable')
    await inside('link', 'set', 'cable', 'up')
    await inside('link', 'set', 'lo', 'up')
  } catch (error) {
    await close()
    throw error
  }
  // Packets to an unused Ethernet address are lost. Unlike a firewall rule, this needs no other module of the kernel.
  const nobody = ['lladdr', '02:00:00:00:00:99', 'nud', 'permanent']
  return {
    hostAddress,
    address,
    within: [ip, 'netns', 'exec', name],
    async cut() {
      await command('neigh', 'replace', address, ...nobody, 'dev', cable)
      await inside('neigh', 'replace', hostAddress, ...nobody, 'dev', 'cable')
    },
    async heal() {
      await command('neigh', 'del', address, 'dev', cable)
      await inside('neigh', 'del', hostAddress, 'dev', 'cable')
    },
    close,
  }
}

/** Removes the namespaces of runs that were killed, and the processes that still run in them. */
async function removeLeftovers(): Promise<void> {
  const names = (await command('netns', 'list')).split('\n').map((line) => line.split(' ')[0] ?? '')
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const [pid = ''] = name.slice(prefix.length).split('-')
    if (existsSync(`/proc/${pid}`)) continue
    const pids = (await run(ip, ['netns', 'pids', name])).stdout.split('\n').filter((line) => line !== '')
    for (const one of pids) process.kill(Number(one), 'SIGKILL')
    await run(ip, ['netns', 'del', name])
  }
}

async function freeNetwork(): Promise<string> {
  const taken = await command('-4', '-o', 'addr')
  for (;;) {
    const network = `198.18.${randomInt(1, 255)}`
    if (!taken.includes(` ${network}.`)) return network
  }
}

/** Whether namespaces can be created on this machine; tried only once. */
export const hasNetworkNamespaces = await createNetworkNamespace().then(
  (namespace) => namespace.close().then(() => true),
  (error: Error) => {
    const line = `A network cannot be cut here: it needs Linux, root and iproute2 (${error.message})`
    if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
    console.log(`${line}: its tests are skipped.`)
    return false
  },
)
