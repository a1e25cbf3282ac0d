import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { program } from '../programs/programs.ts'

/** A real Redis on its own port. It stores nothing on disk, so it is empty after a restart. */
export type TestRedis = {
  /** Contains the password, if it has one. */
  url: string
  port: number
  /** Sends a command in Redis' inline form, such as `TTL some-key`, and returns the lines of the answer. */
  ask(command: string): Promise<string[]>
  /** How often it has run a command, such as `evalsha`, since its statistics began. */
  callsOf(command: string): Promise<number>
  /** Starts it, on the same port as before. */
  start(): Promise<void>
  /** Ends it with SIGTERM. */
  stop(): Promise<void>
  /** Kills it. */
  kill(): Promise<void>
  /** Suspends it: it does not answer, and its connections stay open. */
  suspend(): void
  resume(): void
}

const server = await program('redis-server')

/** Whether tests with Redis can run on this machine. */
export const hasRedis = server !== undefined

/**
 * Starts a Redis for a test file.
 * @param options options of redis-server, such as `{ requirepass: 'secret' }`
 */
export async function startRedis(options: Record<string, string> = {}): Promise<TestRedis> {
  const path = server as string
  const port = await freePort()
  const fixed = { port: String(port), bind: '127.0.0.1', save: '', appendonly: 'no', dir: tmpdir() }
  const argv = Object.entries({ ...fixed, ...options }).flatMap(([name, value]) => [`--${name}`, value])
  const password = options.requirepass
  const ask = (command: string) => converse(port, command, password)
  let running: ChildProcess | undefined

  async function start(): Promise<void> {
    running = spawn(path, argv, { stdio: 'ignore' })
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if (running.exitCode !== null) throw new Error(`redis-server ended with ${running.exitCode}`)
      const answer = await ask('PING').catch(() => [])
      if (answer[0] === '+PONG') return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error('redis-server does not answer')
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    running.kill(signal)
    // A suspended process gets SIGTERM only after SIGCONT.
    if (signal === 'SIGTERM') running.kill('SIGCONT')
    await ended
  }

  await start()
  return {
    url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    port,
    ask,
    async callsOf(command) {
      const lines = await ask('INFO commandstats')
      const line = lines.find((one) => one.startsWith(`cmdstat_${command}:`))
      return Number(line?.match(/calls=(\d+)/)?.[1] ?? 0)
    },
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    suspend: () => void running?.kill('SIGSTOP'),
    resume: () => void running?.kill('SIGCONT'),
  }
}

/** Sends one command on its own connection; QUIT marks the end of the answer. */
function converse(port: number, command: string, password: string | undefined): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host: '127.0.0.1', port })
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const lines = text.trimEnd().split('\r\n')
      resolve(lines.slice(password === undefined ? 0 : 1, -1))
    })
    socket.write(`${password === undefined ? '' : `AUTH ${password}\r\n`}${command}\r\nQUIT\r\n`)
  })
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  return port
}
