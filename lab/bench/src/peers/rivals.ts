import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '@gatehouse/local/services'
import type { Credentials } from '../answers.ts'
import { BenchFailure } from '../failure.ts'
import { common } from '../gatehouse.ts'
import type { Watched } from '../measuring/usage.ts'
import type { Phase, RivalName } from '../options.ts'

/** The settings that a rival gets at its start. */
export type RivalSettings = {
  credentials: Credentials
  /** Gatehouse's answers, so that the ceiling can answer with the same size. */
  answers: Record<Phase, string>
}

/** The resource for which the peer issues tokens that it can introspect; it refuses to introspect JWTs. */
export const opaqueResource = 'urn:bench:opaque'

/** A rival in its own process. */
export type Rival = { url: string; watched: Watched }

/**
 * Starts a rival, or the sink for spans, with the gateway's Node.js and V8 flags.
 * @param stack stops it
 * @throws BenchFailure with its output when it does not start
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
  let lastOutput = ''
  child.stderr?.on('data', (chunk) => {
    lastOutput = (lastOutput + chunk).slice(-4_096)
  })
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port))
    child.once('error', reject)
    child.once('close', () => reject(new BenchFailure(`${name} did not start: ${lastOutput.trim()}`)))
  })
}

/** Runs in a rival's process: waits for its settings, and ends the process when the benchmark has ended. */
export function receiveSettings(): Promise<RivalSettings> {
  process.once('disconnect', () => process.exit(0))
  return new Promise((resolve) => process.once('message', (message) => resolve(message as RivalSettings)))
}
