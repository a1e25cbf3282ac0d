import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Makes the signal that is aborted when the command is interrupted, or when nobody reads its output any more. Until `close` an
 * interruption does not end the process.
 */
export function stopSignals(output: Writable): { stopping: AbortSignal; close(): void } {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  output.once('error', stop)
  output.once('close', stop)
  return {
    stopping: controller.signal,
    close() {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
      output.off('error', stop)
      output.off('close', stop)
    },
  }
}

/** Waits some milliseconds, but no longer than until the command is interrupted. */
export async function pause(milliseconds: number, stopping: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stopping }).catch((error: unknown) => {
    if (!stopping.aborted) throw error
  })
}
