import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { bareHost } from '@gatehouse/kit/host'
import { StartFailure } from './failure.ts'

// Below the ranges from which Linux and macOS take the ports of outgoing connections, because a restarted service needs its
// port again. The two ranges do not overlap, so that no system uses another system's port for its PostgreSQL.
const blockSize = 16
const blockRange = { from: 20480, to: 26496 }
const singleRange = { from: 26496, to: 32768 }
const attempts = 200

/** Ports on 127.0.0.1 that no other Gatehouse on this machine uses. */
export type ReservedPorts = { ports: number[]; release(): Promise<void> }

/**
 * Picks free ports for a system. They come from a block whose first port this process keeps open as long as it needs
 * the others, so that systems that start at the same moment never get the same ports.
 * @param count the number of ports, at most 15
 * @throws StartFailure when the machine has no free block
 */
export async function reservePorts(count: number): Promise<ReservedPorts> {
  if (count >= blockSize) throw new RangeError(`a block has ${blockSize - 1} ports; ${count} were asked for`)
  const blocks = (blockRange.to - blockRange.from) / blockSize
  for (let attempt = 0; attempt < attempts; attempt++) {
    const first = blockRange.from + randomInt(blocks) * blockSize
    const keeper = await listen(first, '127.0.0.1').catch(() => undefined)
    if (!keeper) continue
    const ports = Array.from({ length: count }, (_, index) => first + 1 + index)
    const free = await Promise.all(ports.map(isFree))
    if (!free.includes(false)) return { ports, release: () => close(keeper) }
    await close(keeper)
  }
  throw new StartFailure('No free ports on 127.0.0.1: stop other programs')
}

/**
 * Picks one free port on 127.0.0.1. Another program may use it first: be ready to pick another.
 * @throws StartFailure when no port is free
 */
export async function pickPort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(singleRange.from, singleRange.to)
    if (await isFree(port)) return port
  }
  throw new StartFailure('No free port on 127.0.0.1: stop other programs')
}

/**
 * Checks that a server can listen at an address.
 * @param patience how long to wait for a taken port to become free, in milliseconds
 * @throws StartFailure that names the variable to change
 */
export async function requireFreePort(host: string, port: number, patience = 0): Promise<void> {
  const deadline = performance.now() + patience
  for (;;) {
    try {
      return await close(await listen(port, host))
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code !== 'EADDRINUSE' || performance.now() >= deadline)
        throw new StartFailure(explainListenFailure(code, host, port))
      await sleep(50)
    }
  }
}

function explainListenFailure(code: string | undefined, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken: stop the other program or set OAUTH2_SERVER_PORT`
    case 'EACCES':
      return `Port ${port} may not be opened by this user: set OAUTH2_SERVER_PORT to 1024 or more`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAFNOSUPPORT':
      return `OAUTH2_SERVER_HOST ${host} is not an address of this machine: try 0.0.0.0, :: or 127.0.0.1`
    default:
      return `Cannot listen on ${host}, port ${port} (${code}): set OAUTH2_SERVER_HOST and OAUTH2_SERVER_PORT`
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port, '127.0.0.1').catch(() => undefined)
  if (server) await close(server)
  return server !== undefined
}

async function listen(port: number, host: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  await once(server.listen({ port, host: bareHost(host), exclusive: true }), 'listening')
  return server
}

async function close(server: Server): Promise<void> {
  await once(server.close(), 'close')
}
