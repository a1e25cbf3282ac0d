import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '@gatehouse/local/services'
import type { Credentials } from './answers.ts'
import { BenchFailure } from './failure.ts'
import { common } from './gatehouse.ts'
import type { Phase, RivalName } from './options.ts'
import type { Watched } from './usage.ts'

/** What a rival is told when it begins. */
export type RivalSettings = {
  credentials: Credentials
  /** What Gatehouse answers, for the ceiling to answer with as much. */
  answers: Record<Phase, string>
}

/** The resource for which the peer issues tokens that it can introspect; it refuses to introspect JWTs. */
export const opaqueResource = 'urn:bench:opaque'

/** A rival in a process of its own. */
export type Rival = { url: string; watched: Watched }

/**
 * Starts a rival, or what takes spans, with the Node.js and the V8 flags that the gateway has.
 * @param stack is told how to stop it
 * @throws BenchFailure with what it said, when it does not start
 */
export async function startRival(
  name: RivalName | 'span-sink',
  settings: RivalSettings,
  stack: AsyncDisposableStack,
): Promise<Rival> {
  const entry = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [...nodeFlags.gateway, entry], {
    env: common(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  stack.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  child.send(settings)
  const port = await firstMessage(name, child)
  return { url: `http://127.0.0.1:${port}`, watched: { name, pid: () => child.pid } }
}

function firstMessage(name: string, child: ChildProcess): Promise<number> {
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said = (said + chunk).slice(-4_096)
  })
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port))
    child.once('error', reject)
    child.once('close', () => reject(new BenchFailure(`${name} did not start: ${said.trim()}`)))
  })
}

/** In a rival's process: waits for its settings, and ends it when the benchmark is gone. */
export function receiveSettings(): Promise<RivalSettings> {
  process.once('disconnect', () => process.exit(0))
  return new Promise((resolve) => process.once('message', (message) => resolve(message as RivalSettings)))
}
