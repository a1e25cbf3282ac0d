import { type Latency, latencyOf } from './logins/login-load.ts'
import { type Usage, type Watched, watch } from './measuring/usage.ts'

/** The measurements of callers. */
export type Measured = { perSecond: number; latency: Latency; cpuMicroseconds: number; usage: Usage }

/**
 * Does something once for each of the inputs, or until the time is over.
 * @param deps.connections how many do it at once
 * @param seconds after which nothing more begins
 * @returns the outputs, and what each cost the watched processes
 */
export async function measureCalls<In, Out>(
  deps: { watched: readonly Watched[]; connections: number; signal: AbortSignal },
  inputs: Iterator<In>,
  seconds: number,
  once: (input: In) => Promise<Out>,
): Promise<{ measured: Measured; outputs: Out[] }> {
  const { watched, connections, signal } = deps
  const stopWatching = watch(watched)
  const began = performance.now()
  const end = began + seconds * 1000
  const times: number[] = []
  const outputs: Out[] = []
  const caller = async () => {
    for (;;) {
      const from = performance.now()
      if (from >= end || signal.aborted) return
      const { done, value } = inputs.next()
      if (done) return
      outputs.push(await once(value))
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
  signal.throwIfAborted()
  const elapsed = (performance.now() - began) / 1000
  const usage = stopWatching()
  const measured: Measured = {
    perSecond: times.length / elapsed,
    latency: latencyOf(times),
    cpuMicroseconds: cpuOf(usage, watched, times.length),
    usage,
  }
  return { measured, outputs }
}

/** The CPU of the watched processes for one of so many requests, in microseconds. */
export function cpuOf({ processes, seconds }: Usage, watched: readonly Watched[], requests: number): number {
  const names = new Set(watched.map(({ name }) => name))
  const cores = processes.filter(({ name }) => names.has(name)).reduce((sum, one) => sum + one.cores, 0)
  return (cores * seconds * 1e6) / requests
}

/** The items, again and again. */
export function* cycle<Item>(items: readonly Item[]): Generator<Item> {
  for (;;) yield* items
}
